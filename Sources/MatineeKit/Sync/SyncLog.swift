import Foundation
import Synchronization
import Timekeeping

/// A file with a line for every ``SyncRecord``, for spreadsheets and scripts.
///
/// Each line is written as it comes, on a queue of its own, since a disk may be slow. An error after the start ends the
/// log and is reported once; it affects nothing else.
package final class SyncLog: Sendable {
  /// The reason why there is no log.
  package struct Failure: Error, CustomStringConvertible {
    package var path: String
    var reason: String
    package var description: String { "The sync log can't be written to \(path): \(reason)" }
  }

  /// The maximum number of lines that wait for the disk: at four records a second, several minutes.
  private static let backlog = 1000

  private struct State {
    var pending = 0
    var hasEnded = false
  }

  private let descriptor: Int32
  private let path: String
  private let queue = DispatchQueue(label: "matinee.sync-log")
  private let state = Mutex(State())

  /// Opens the file. A new file is readable only by its owner. An existing file must be a sync log; this run's lines
  /// are appended to it.
  package convenience init(path: String) throws(Failure) {
    // `O_NONBLOCK`, because opening a pipe without a reader would block.
    let descriptor = open(
      path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      throw Failure(path: path, reason: String(cString: strerror(errno)))
    }
    do {
      try Self.begin(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    self.init(descriptor: descriptor, path: path)
  }

  /// - Parameter descriptor: the descriptor of an open file, which the log closes at its end.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { Foundation.close(descriptor) }

  /// Enqueues a line to be written.
  ///
  /// - Parameter failed: called on a thread of the queue, at most once in the log's life.
  func append(_ record: SyncRecord, failed: @escaping @Sendable (Failure) -> Void) {
    let (now, hostNow) = (Date(), HostTime.now())
    let isWanted = state.withLock { state in
      guard !state.hasEnded, state.pending < Self.backlog else { return false }
      state.pending += 1
      return true
    }
    guard isWanted else { return }
    queue.async { [self] in
      let hasEnded = state.withLock { state in
        state.pending -= 1
        return state.hasEnded
      }
      guard !hasEnded, let reason = write(record.csvLine(now: now, hostNow: hostNow)) else {
        return
      }
      state.withLock { $0.hasEnded = true }
      failed(Failure(path: path, reason: reason))
    }
  }

  /// Returns after the appended records have been written.
  func finish() async {
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }

  /// - Returns: the reason of a failure; nil for success.
  private func write(_ line: String) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
      return "the file was removed"
    }
    return Self.write(line, to: descriptor)
  }

  private static func write(_ text: String, to descriptor: Int32) -> String? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return String(cString: strerror(errno)) }
      rest = rest.dropFirst(written)
    }
    return nil
  }

  private static func begin(_ descriptor: Int32, _ path: String) throws(Failure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(path: path, reason: "not a regular file")
    }
    let header = SyncRecord.csvHeader
    guard status.st_size > 0 else {
      if let reason = write(header, to: descriptor) { throw Failure(path: path, reason: reason) }
      return
    }
    // Protects a film that was named by mistake.
    var start = [UInt8](repeating: 0, count: header.utf8.count)
    let count = pread(descriptor, &start, start.count, 0)
    guard count == start.count, start.elementsEqual(header.utf8) else {
      throw Failure(
        path: path, reason: "the file exists and isn't a sync log. Choose another name.")
    }
  }
}
