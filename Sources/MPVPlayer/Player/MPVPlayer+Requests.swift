import CMPV
import Concurrency
import Synchronization
import Timekeeping

/// Requests to mpv and their answers.
extension MPVPlayer {
  /// Sends a request and calls `handler` with its answer, exactly once.
  func request(
    _ send: (MPVHandle, UInt64) -> CInt, then handler: @escaping ReplyHandler
  ) {
    let id = expectReply(handler)
    // A core that is ending still takes requests, but answers none.
    let code = lifecycle.isShutDown ? MPV_ERROR_UNINITIALIZED.rawValue : send(handle, id)
    if code < 0 { reply(id: id, MPVReply(code: code, value: .none, hostTime: .now())) }
  }

  /// Returns a number for a request that is sent later by other code, for example at an exact instant.
  func expectReply(_ handler: @escaping ReplyHandler) -> UInt64 { requests.expect(handler) }

  func reply(id: UInt64, _ reply: MPVReply) { requests.answered(id)?(self, reply) }

  /// Answers all requests, because the core is gone.
  func failRequests() {
    for id in requests.numbers {
      reply(
        id: id,
        MPVReply(code: MPV_ERROR_UNINITIALIZED.rawValue, value: .none, hostTime: .now()))
    }
  }

  /// Sends a request and waits for its answer.
  func answer(
    _ operation: String, _ send: (MPVHandle, UInt64) -> CInt,
    first: ReplyHandler? = nil
  ) async throws(MPVError) -> MPVReply {
    let oneShot = OneShot<MPVReply>()
    request(send) { player, reply in
      first?(player, reply)
      oneShot.fulfil(reply)
    }
    guard let reply = await oneShot.value() else { throw MPVError(.superseded, operation) }
    guard reply.code >= 0 else {
      throw MPVError(lifecycle.isShutDown ? .shutDown : .call, operation, code: reply.code)
    }
    return reply
  }

  func get(_ name: String) async throws(MPVError) -> MPVReply {
    try await answer("get \(name)", { $0.getProperty(name, id: $1) })
  }

  func set(_ name: String, _ value: MPVValue) async throws(MPVError) {
    _ = try await answer("set \(name)", { $0.setProperty(name, value, id: $1) })
  }

  /// Runs a command and returns its result.
  @discardableResult
  func command(_ arguments: MPVValue...) async throws(MPVError) -> MPVValue {
    let name = arguments.first?.string ?? ""
    return try await answer(name, { $0.command(.array(arguments), id: $1) }).value
  }

  /// Observes a property for a while, unless it is observed already.
  func observe(_ name: String, as role: Observers.Role) {
    guard !observers.isObserving(role) else { return }
    let observer = requests.makeNumber()
    observers.began(role, as: observer)
    handle.observeProperty(name, observer: observer)
  }

  func stopObserving(_ role: Observers.Role) {
    if let observer = observers.ended(role) { handle.unobserveProperty(observer: observer) }
  }
}

/// A value that several answers add to. Closures over `var`s can't be sent to the player.
final class Collected<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  init(_ value: Value) { storage = Mutex(value) }

  var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }
}
