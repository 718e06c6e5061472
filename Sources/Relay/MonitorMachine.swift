import Timekeeping

/// Decides which of the monitor's connections is answered, and when each ends.
///
/// A value that reads no clock and touches no socket. A connection is named by a number that is unique while it is open.
/// Each gets one answer; a limited number of them, and of seconds for each, bounds the cost of clients that are slow.
struct MonitorMachine: Sendable {
  enum Action: Hashable, Sendable {
    case answer(MonitorRequest, connection: Int)
    /// Answer that the bytes are no request.
    case refuse(connection: Int)
    /// Close at once.
    case close(connection: Int)
  }

  static let connectionLimit = 16
  /// The longest time that a connection stays open, whatever it does.
  static let patience = Duration.seconds(5)
  /// The longest time that an answered client has to read the answer and close.
  static let leavingTime = Duration.seconds(1)

  private struct Connection: Sendable {
    let number: Int
    var parser = MonitorRequestParser()
    var isAnswered = false
    /// The time at which it is closed.
    var end: HostTime
  }

  /// The connections in the order of their beginning.
  private var connections: [Connection] = []

  /// Begins with a new connection.
  ///
  /// A request is answered at once, so the oldest connection had the most time to send one: it makes room if there
  /// are too many.
  mutating func accepted(_ number: Int, now: HostTime) -> Action? {
    let tooMany =
      connections.count >= Self.connectionLimit
      ? Action.close(connection: connections.removeFirst().number) : nil
    connections.append(Connection(number: number, end: now + Self.patience))
    return tooMany
  }

  /// Takes in the bytes of a client. Those after its request have no meaning.
  mutating func received(_ bytes: some Sequence<UInt8>, from number: Int, now: HostTime) -> Action?
  {
    guard let index = connections.firstIndex(where: { $0.number == number }),
      !connections[index].isAnswered
    else { return nil }
    let outcome = connections[index].parser.append(bytes)
    guard outcome != .incomplete else { return nil }
    connections[index].isAnswered = true
    connections[index].end = min(connections[index].end, now + Self.leavingTime)
    switch outcome {
    case .incomplete: return nil
    case .request(let request): return .answer(request, connection: number)
    case .malformed: return .refuse(connection: number)
    }
  }

  /// Forgets a connection that was closed.
  mutating func closed(_ number: Int) { connections.removeAll { $0.number == number } }

  /// Ends the connections whose time is over.
  mutating func timePassed(now: HostTime) -> [Action] {
    let over = connections.filter { $0.end <= now }
    guard !over.isEmpty else { return [] }
    connections.removeAll { $0.end <= now }
    return over.map { .close(connection: $0.number) }
  }
}
