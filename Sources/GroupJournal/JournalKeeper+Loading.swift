import Concurrency
import Foundation
import GroupActivities
import Timekeeping

/// Loading attachments: waiting for their content, and progress.
extension JournalKeeper {
  /// Waits until an attachment's content is complete here.
  ///
  /// - Returns: the file to read it from.
  private func fetch(_ id: UUID) async throws(JournalError) -> AttachmentFile {
    guard !isEnded else { throw .party(.sessionOver) }
    if machine.held.contains(id), let file = store[id] { return file }
    guard machine.book.entry(id) != nil else { throw .removed }
    guard !Task.isCancelled else { throw .cancelled }
    let number = nextNumber()
    let waiter = OneShot<JournalError?>()
    waiters[id, default: [:]][number] = waiter
    perform(machine.demand(id, at: .now()))
    await flush()
    guard let outcome = await waiter.value() else {
      if waiters[id]?.removeValue(forKey: number) != nil { perform(machine.demandEnded(id)) }
      await flush()
      throw .cancelled
    }
    if let error = outcome { throw error }
    guard !isEnded, let file = store[id] else { throw .removed }
    return file
  }

  func load(_ id: UUID, limit: Int64) async throws(JournalError) -> Data {
    if let entry = machine.book.entry(id), entry.body.size > limit {
      throw .tooLarge(bytes: entry.body.size, limit: limit)
    }
    let file = try await fetch(id)
    guard let data = try file.readAll() else { throw lost(id) }
    return data
  }

  /// Copies an attachment's content to a file that doesn't exist yet.
  func load(_ id: UUID, to path: String) async throws(JournalError) {
    let file = try await fetch(id)
    let copy = try OpenFile(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
    do throws(JournalError) {
      for index in 0..<file.layout.chunkCount {
        let piece = Piece(level: 0, index: index)
        guard let bytes = try file.read(piece) else { throw lost(id) }
        try copy.write(bytes, at: file.layout.offset(of: piece))
        if index % 64 == 63 {
          await Task.yield()
          guard !Task.isCancelled else { throw .cancelled }
        }
      }
    } catch {
      unlink(path)
      throw error
    }
  }

  func progress(of id: UUID) -> AsyncStream<AttachmentProgress> {
    guard !isEnded, let now = currentProgress(of: id) else {
      let over = Broadcast<AttachmentProgress>()
      over.finish()
      return over.values()
    }
    let broadcast = progress[id] ?? Broadcast(now)
    if now.isFinished { broadcast.finish() } else { progress[id] = broadcast }
    return broadcast.values()
  }

  func holdings(of id: UUID) -> [Participant.ID: Int64] {
    machine.book.entry(id).map { machine.bytes(of: $0) } ?? [:]
  }

  func currentProgress(of id: UUID) -> AttachmentProgress? {
    guard let entry = machine.book.entry(id) else { return nil }
    let size = entry.body.size
    if machine.held.contains(id) {
      return AttachmentProgress(completedBytes: size, totalBytes: size, isFinished: true)
    }
    return AttachmentProgress(
      completedBytes: machine.downloads[id]?.presentBytes ?? 0, totalBytes: size,
      isFinished: false)
  }
}
