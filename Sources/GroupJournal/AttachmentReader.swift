import Foundation

/// Reads an attachment's content while it arrives (``GroupSessionJournal/Attachment/open()``).
///
/// Every byte was verified before it is read. The transfer fetches the bytes that a read waits for first; then some MiB
/// after the position of the last read; then the preferred ranges; then the rest. It goes on while the reader is open.
///
/// All functions may be called on any thread, and at the same time.
public final class AttachmentReader: Sendable {
  let reading: AttachmentReading
  private let number: Int
  /// The lease that keeps the journal in use.
  private let lease: JournalLease

  init(_ reading: AttachmentReading, number: Int, _ lease: JournalLease) {
    self.reading = reading
    self.number = number
    self.lease = lease
  }

  deinit { close() }

  /// The content's size, in bytes.
  public var size: Int64 { reading.file.layout.size }

  /// Reads bytes into a buffer. Blocks the calling thread until at least one byte is here.
  ///
  /// - Parameters:
  ///   - offset: the offset of the first byte.
  ///   - buffer: the memory for the bytes.
  ///   - isReleased: ends the read with ``JournalError/interrupted`` instead of blocking it. It is called briefly before
  ///     the thread blocks, so that a condition which becomes true before a call of ``interrupt()`` is never missed.
  /// - Returns: the number of bytes, at most the buffer's size; 0 at the end of the content, for a negative offset, and for
  ///   an empty buffer.
  /// - Throws: ``JournalError/interrupted`` when ``interrupt()`` or ``close()`` released the read,
  ///   ``JournalError/removed``, ``JournalError/unavailable`` when for ten seconds no participant in the session had the
  ///   bytes, ``JournalError/storage(_:)``, ``JournalError/party(_:)`` when the session is over. Reading may be tried again
  ///   after `interrupted` and `unavailable`.
  public func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    unless isReleased: () -> Bool = { false }
  ) throws(JournalError) -> Int {
    guard (0..<size).contains(offset), !buffer.isEmpty else { return 0 }
    let chunk = Int(offset / Int64(AttachmentLayout.chunkSize))
    let chunks = try reading.wait(for: chunk, unless: isReleased)
    if let count = try reading.file.read(into: buffer, at: offset, within: chunks) { return count }
    Task { [lease, id = reading.id] in _ = await lease.keeper.lost(id) }
    throw .storage("\(reading.file.chunks.path) has changed since it was added")
  }

  /// Releases the reads that are blocked now. Later reads wait again.
  public func interrupt() { reading.release(.interrupted) }

  /// Sets the ranges to fetch after the bytes that reads wait for and those after the position, in this order: for example
  /// the beginning and the index of a film, or the target of a jump. They replace earlier ones.
  ///
  /// - Parameter ranges: ranges of bytes. Parts outside of the content have no effect.
  public func prefer(_ ranges: [Range<Int64>]) {
    reading.prefer(
      ranges.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }.map { range in
        let size = Int64(AttachmentLayout.chunkSize)
        return Int(range.lowerBound / size)..<Int((range.upperBound + size - 1) / size)
      })
  }

  /// The bytes that are here, in ascending ranges that don't touch each other.
  public var available: [Range<Int64>] {
    let size = Int64(AttachmentLayout.chunkSize)
    return reading.available.ranges.map {
      Int64($0.lowerBound) * size..<min(Int64($0.upperBound) * size, self.size)
    }
  }

  /// The transfer's progress, now and after each change, like
  /// ``GroupSessionJournal/Attachment/progressUpdates``.
  public var progressUpdates: AsyncStream<AttachmentProgress> {
    get async { await lease.keeper.progress(of: reading.id) }
  }

  /// Copies the content to a new file once it is complete, like ``GroupSessionJournal/Attachment/load(to:)``.
  public func copy(to file: URL) async throws(JournalError) {
    guard file.isFileURL else { throw .notAFile(file.absoluteString) }
    try await lease.keeper.load(reading.id, to: file.path)
  }

  /// Ends reading: blocked reads and later ones throw ``JournalError/interrupted``. Idempotent. The transfer stops unless
  /// another reader or caller needs the content; the bytes that are here are kept.
  public func close() {
    guard reading.fail(.interrupted) else { return }
    Task { [lease, number] in await lease.keeper.close(number) }
  }
}
