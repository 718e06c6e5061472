import Foundation
import GroupActivities
import Timekeeping

/// Readers of attachments that are still arriving.
extension JournalKeeper {
  func readers(of id: UUID) -> some Sequence<AttachmentReading> {
    readers.values.lazy.filter { $0.id == id }
  }

  /// Opens an attachment for reading.
  ///
  /// - Parameter lease: the reader keeps the journal in use.
  func open(_ id: UUID, _ lease: JournalLease) async throws(JournalError) -> AttachmentReader {
    guard !isEnded else { throw .party(.sessionOver) }
    guard let entry = machine.book.entry(id) else { throw .removed }
    let isHeld = machine.held.contains(id)
    if !isHeld { try store.begin(id, entry.layout, isEager: false) }
    guard let file = store[id] else { throw .removed }
    let number = nextNumber()
    let reading = AttachmentReading(
      id: id, file: file,
      available: isHeld
        ? RangeSet(0..<entry.layout.chunkCount) : machine.downloads[id]?.present ?? RangeSet()
    ) { [weak self] in
      Task { await self?.readerMoved(number) }
    }
    readers[number] = reading
    perform(machine.readerOpened(number, of: id, at: .now()))
    await flush()
    return AttachmentReader(reading, number: number, lease)
  }

  private func readerMoved(_ number: Int) async {
    guard !isEnded, let reading = readers[number] else { return }
    perform(machine.readerMoved(number, of: reading.id, to: reading.position, at: .now()))
    await flush()
  }

  func close(_ number: Int) async {
    guard !isEnded, let reading = readers.removeValue(forKey: number) else { return }
    perform(machine.readerClosed(number, of: reading.id, at: .now()))
    await flush()
  }
}
