import Foundation
import GroupActivities
import Timekeeping

/// Adding and removing attachments.
extension JournalKeeper {
  /// The content of a new attachment.
  enum Source: Sendable {
    case bytes(Data)
    case file(URL)
  }

  func add(
    _ source: Source, type: String, metadata: Data?, isOnDemand: Bool,
    progress: @Sendable (AttachmentProgress) -> Void
  ) async throws(JournalError) -> JournalBook.Entry {
    if let metadata, metadata.count > JournalBody.metadataLimit {
      throw .tooLarge(
        bytes: Int64(metadata.count), limit: Int64(JournalBody.metadataLimit))
    }
    guard !isEnded else { throw .party(.sessionOver) }
    let (file, root) = try await hash(source, progress)
    let place: (slot: Int, time: GroupTime)
    do throws(PartyError) {
      place = try await nextPlace()
    } catch {
      throw .party(error)
    }
    guard !isEnded else { throw .party(.sessionOver) }
    var name: String?
    if case .file(let url) = source { name = Self.fileName(url.lastPathComponent) }
    let body = JournalBody(
      addedAt: place.time.nanoseconds, size: file.layout.size, root: root, type: type,
      fileName: name, metadata: metadata, isOnDemand: isOnDemand)
    guard let (id, actions) = machine.add(body, slot: place.slot, at: .now()),
      let entry = machine.book.entry(id)
    else { throw .tooMany }
    store.adopt(file, as: id)
    perform(actions)
    await flush()
    return entry
  }

  /// Returns the next number of this participant's attachments, and the group's time.
  private func nextPlace() async throws(PartyError) -> (slot: Int, time: GroupTime) {
    let slot = try await lane.nextNumber()
    guard let time = lane.clock.reading?.groupTime(at: .now()) else { throw .notJoined }
    return (slot, time)
  }

  func remove(_ id: UUID) async throws(JournalError) {
    guard !isEnded else { throw .party(.sessionOver) }
    guard machine.isMember else { throw .party(.notJoined) }
    perform(machine.remove(id, at: .now()))
    await flush()
  }

  /// The number of bytes that are hashed before others get a turn: 1 MiB, whole chunks.
  private static let readSize: Int64 = 32 * Int64(AttachmentLayout.chunkSize)

  /// Hashes an attachment's content. Small files are copied, since users change them. Large files are read in
  /// place, and verified again when another participant asks for them.
  private func hash(
    _ source: Source, _ progress: @Sendable (AttachmentProgress) -> Void
  ) async throws(JournalError) -> (AttachmentFile, root: Data) {
    let original: OpenFile?
    let size: Int64
    switch source {
    case .bytes(let data):
      original = nil
      size = Int64(data.count)
    case .file(let url):
      // Opening a pipe that has no writer would wait.
      let file = try OpenFile(path: url.path, flags: O_RDONLY | O_NONBLOCK)
      guard let fileSize = try file.size() else { throw .notAFile(url.path) }
      original = file
      size = fileSize
    }
    guard let layout = AttachmentLayout(size: size) else {
      throw .tooLarge(bytes: size, limit: AttachmentLayout.sizeLimit)
    }
    let borrowed = size > machine.timing.eagerLimit ? original : nil
    let blocks = layout.counts.count > 1 ? try store.newFile() : nil
    let file = AttachmentFile(
      layout: layout, chunks: try chunks(borrowed), blocks: blocks,
      isBorrowed: borrowed != nil)
    var hasher = AttachmentHasher(layout: layout, blocks: blocks)
    var offset: Int64 = 0
    repeat {
      let length = Int(min(Self.readSize, size - offset))
      let bytes: Data
      switch source {
      case .bytes(let data): bytes = data.dropFirst(Int(offset)).prefix(length)
      case .file: bytes = try original!.read(length, at: offset)
      }
      guard bytes.count == length else {
        throw .storage("\(original?.path ?? "the attachment") changed while it was read")
      }
      try hasher.update(with: bytes)
      if borrowed == nil { try file.chunks.write(bytes, at: offset) }
      offset += Int64(length)
      progress(
        AttachmentProgress(completedBytes: offset, totalBytes: size, isFinished: offset == size))
      await Task.yield()
      guard !Task.isCancelled else { throw .cancelled }
      guard !isEnded else { throw .party(.sessionOver) }
    } while offset < size
    return (file, hasher.root!)
  }

  private func chunks(_ borrowed: OpenFile?) throws(JournalError) -> OpenFile {
    if let borrowed { return borrowed }
    return try store.newFile()
  }

  /// Returns a name that is safe to show and to use for a file.
  private static func fileName(_ raw: String) -> String? {
    let cleaned = PartyText.clean(
      raw.replacingOccurrences(of: "/", with: "_"), limit: JournalBody.fileNameLimit)
    return ["", ".", ".."].contains(cleaned) ? nil : cleaned
  }
}
