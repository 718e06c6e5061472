import Timekeeping

/// mpv's answer to a request.
struct MPVReply: Sendable {
  var code: CInt
  var value: MPVValue
  var hostTime: HostTime
}

/// The requests to mpv that have no answer yet, and the numbers of requests, observers and waits.
struct PendingRequests<Handler> {
  private var handlers: [UInt64: Handler] = [:]
  /// The last number; zero is for requests without a reader.
  private var last: UInt64 = 0

  /// The numbers of the requests without an answer.
  var numbers: [UInt64] { Array(handlers.keys) }

  /// Returns a number that nothing else has.
  mutating func makeNumber() -> UInt64 {
    last += 1
    return last
  }

  /// Returns a number for a request whose answer `handler` takes.
  mutating func expect(_ handler: Handler) -> UInt64 {
    let number = makeNumber()
    handlers[number] = handler
    return number
  }

  func isExpected(_ number: UInt64) -> Bool { handlers[number] != nil }

  /// Drops a request that is not sent any more.
  mutating func forget(_ number: UInt64) { handlers[number] = nil }

  /// Takes an answer.
  ///
  /// - Returns: the handler, once; nil for an answer that is stale, or that has no reader.
  mutating func answered(_ number: UInt64) -> Handler? { handlers.removeValue(forKey: number) }
}
