import Foundation
import Synchronization

/// A connection to a browser's remote control: requests, their replies by number, and events.
final class RemoteConnection: Sendable {
  private struct State {
    var lastID = 0
    var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
    var end: BrowserFailure?
  }

  private let dialect: RemoteProtocol
  private let socket: CInt
  private let state = Mutex(State())
  private let writing = Mutex(())

  /// - Parameters:
  ///   - socket: a connected socket, which is closed with this value.
  ///   - event: called on the thread that reads from it.
  init(
    _ dialect: RemoteProtocol, socket: CInt,
    event: @escaping @Sendable (_ name: String, _ parameters: JSON) -> Void
  ) {
    self.dialect = dialect
    self.socket = socket
    // The thread's own, since this value may close the other one at any time; the end of the connection reaches both.
    let reading = fcntl(socket, F_DUPFD_CLOEXEC, 3)
    Thread.detachNewThread { [weak self] in
      var bytes = Data()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var reason = "the browser ended"
      receiving: while true {
        let count = recv(reading, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
        do {
          while let message = try dialect.next(in: &bytes) {
            switch message {
            case .reply(let id, let result): self?.answer(id, result.mapError { $0 })
            case .event(let name, let parameters): event(name, parameters)
            }
          }
        } catch {
          reason = "\(error)"
          break receiving
        }
      }
      close(reading)
      self?.end(BrowserFailure(reason))
    }
  }

  deinit {
    shutdown(socket, CInt(SHUT_RDWR))
    close(socket)
  }

  /// Sends a request and waits for the reply.
  ///
  /// - Parameters:
  ///   - session: DevTools' number of the page; nil for the browser itself, and in Marionette.
  ///   - limit: decides only how long a failure takes.
  /// - Throws: ``BrowserFailure``.
  @discardableResult
  func call(
    _ name: String, _ parameters: JSON = [:], session: String? = nil,
    within limit: Duration = .seconds(60)
  ) async throws -> JSON {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let request = try dialect.request(id: id, name, parameters, session: session)
    let alarm = Task { [weak self] in
      try await Task.sleep(for: limit)
      self?.answer(id, .failure(BrowserFailure("\(name): no answer in \(limit)")))
    }
    defer { alarm.cancel() }
    do {
      return try await withCheckedThrowingContinuation { continuation in
        let end = state.withLock { state in
          if state.end == nil { state.waiting[id] = continuation }
          return state.end
        }
        if let end { continuation.resume(throwing: end) } else { write(request) }
      }
    } catch let failure as BrowserFailure {
      throw BrowserFailure("\(name): \(failure)")
    }
  }

  private func answer(_ id: Int, _ result: Result<JSON, any Error>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
  }

  private func end(_ failure: BrowserFailure) {
    let waiting = state.withLock { state in
      state.end = failure
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(throwing: failure) }
  }

  /// Writes a whole request. If the browser has ended, the reading thread reports that.
  private func write(_ request: Data) {
    writing.withLock { _ in
      var rest = request[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}
