import NATSProtocol
import Timekeeping

/// One peer of the relay: a socket, or an attachment in the same process.
struct Connection: Sendable {
  let id: ConnectionID
  /// The network that the connection comes from; nil for an attachment.
  let origin: Origin?
  let nonce: String
  let openedAt: HostTime
  var isAttachment = false
  /// A Boolean value that indicates whether the connection receives its own messages.
  var wantsEcho = true
  var parser: ClientOperationParser
  /// The admission key whose signature was verified; nil before that.
  var party: [UInt8]?
  /// The subscriptions by the client's own identifiers.
  var subscriptions: [[UInt8]: SubscriptionID] = [:]
  /// The memory cost of the subscriptions, in bytes.
  var subscriptionBytes = 0

  /// Bytes that were not handed to the socket yet.
  var output: [UInt8] = []
  /// A Boolean value that indicates whether the broker has noted that there is output.
  var isDirty = false
  /// The number of bytes that the socket was handed and has not taken yet.
  private(set) var bytesInFlight = 0
  /// The last time that the socket took bytes, or had none to take.
  private var progressAt: HostTime
  /// The held bytes as they were last added to the broker's sum.
  var accounted = 0

  /// The remaining operations of the connection's rate limit.
  var operations: TokenBucket
  var messages: TokenBucket
  var bytes: TokenBucket
  /// A Boolean value that indicates whether the relay doesn't read from the connection for a while,
  /// because it is over its rate.
  var isPaused = false
  var turn = Turn.none

  var lastHeard: HostTime
  private var lastPing: HostTime
  var pingsOutstanding = 0
  /// A Boolean value that indicates whether the relay, while shutting down, waits for the pong that
  /// shows that the client has read everything.
  var owesLastPong = false

  init(
    id: ConnectionID, origin: Origin?, limits: RelayConfiguration.Limits, nonce: String,
    now: HostTime
  ) {
    self.id = id
    self.origin = origin
    self.nonce = nonce
    openedAt = now
    progressAt = now
    lastHeard = now
    lastPing = now
    operations = TokenBucket(limits.operations, at: now)
    messages = TokenBucket(limits.messages, at: now)
    bytes = TokenBucket(limits.bytes, at: now)
    parser = ClientOperationParser(
      lineLimit: limits.controlLine, payloadLimit: limits.payload,
      isAwaitingAuthorization: true)
  }

  var pendingBytes: Int { output.count + bytesInFlight }

  /// Bytes of memory that the connection takes beyond the fixed part of every connection.
  var heldBytes: Int {
    output.capacity + bytesInFlight + parser.heldBytes + subscriptionBytes
  }

  /// The states of a connection whose party may have to wait for its turn.
  enum Turn: Hashable, Sendable {
    /// The input is processed as it comes.
    case none
    /// There is input that waits for the party's turn.
    case awaited
    /// There is such input, and the relay reads no more until the turn.
    case held
  }

  /// An action that is due for a connection after some time.
  enum Verdict: Hashable, Sendable { case ping, authorizationTimeout, stale, stalled }

  mutating func check(_ limits: RelayConfiguration.Limits, now: HostTime) -> Verdict? {
    if isAttachment { return nil }
    if party == nil {
      return now - openedAt >= limits.authorizationTimeout ? .authorizationTimeout : nil
    }
    if bytesInFlight > 0, now - progressAt >= limits.writeStall { return .stalled }
    // A connection that has to wait isn't silent: the relay doesn't read what it sends.
    if isPaused || turn != .none { return nil }
    guard now - lastHeard >= limits.pingInterval, now - lastPing >= limits.pingInterval else {
      return nil
    }
    if pingsOutstanding >= limits.pingsOutstanding { return .stale }
    pingsOutstanding += 1
    lastPing = now
    return .ping
  }

  mutating func heard(at now: HostTime) {
    lastHeard = now
    pingsOutstanding = 0
  }

  /// Takes the output and leaves an empty buffer: the socket keeps the old one until it is written.
  mutating func takeOutput(now: HostTime) -> [UInt8] {
    let taken = output
    output = []
    if bytesInFlight == 0 { progressAt = now }
    bytesInFlight += taken.count
    return taken
  }

  mutating func wrote(_ count: Int, now: HostTime) {
    bytesInFlight -= count
    progressAt = now
  }

  mutating func takeParser() -> ClientOperationParser {
    let taken = parser
    parser = ClientOperationParser(lineLimit: 0, payloadLimit: 0, isAwaitingAuthorization: true)
    return taken
  }

  // MARK: Rates

  mutating func refill(_ limits: RelayConfiguration.Limits, at now: HostTime) {
    operations.refill(limits.operations, at: now)
    messages.refill(limits.messages, at: now)
    bytes.refill(limits.bytes, at: now)
  }

  var isOverRate: Bool { operations.isEmpty || messages.isEmpty || bytes.isEmpty }

  /// Returns the time until the relay may read from the connection again.
  func wait(_ limits: RelayConfiguration.Limits) -> Duration {
    max(
      operations.wait(limits.operations), messages.wait(limits.messages),
      bytes.wait(limits.bytes))
  }
}

/// One subscription of one connection.
struct Subscription: Sendable {
  let connection: ConnectionID
  let subject: Subject
  let group: [UInt8]?
  let sid: [UInt8]

  /// The approximate memory cost in bytes: the subject twice (here, and in tokens in the index),
  /// and the nodes that lead to it.
  var cost: Int {
    512 + 2 * subject.bytes.count + (group?.count ?? 0) + 2 * sid.count + 128 * subject.tokens.count
  }
}
