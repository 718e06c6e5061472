import NIOCore
import Timekeeping

/// A connection's number within a relay, which is also its `client_id`; never used twice.
struct ConnectionID: Hashable, Sendable {
  let number: Int
}

/// One peer of the relay: a socket, or an attachment in the same process.
struct Connection: Sendable {
  let id: ConnectionID
  let nonce: String
  let openedAt: HostTime
  var isAttachment = false
  var options = ConnectOptions()
  var parser: ProtocolParser
  /// The admission key whose signature was verified; nil before that.
  var party: [UInt8]?
  /// By the client's own identifiers.
  var subscriptions: [[UInt8]: SubscriptionID] = [:]

  /// What has not been handed to the socket yet.
  var output = ByteBuffer()
  /// What the socket was handed and has not taken yet.
  private var bytesInFlight = 0
  /// When the socket last took something, or last had nothing to take.
  private var progressAt: HostTime

  var lastHeard: HostTime
  private var lastPing: HostTime
  var pingsOutstanding = 0

  init(id: ConnectionID, limits: RelayConfiguration.Limits, nonce: String, now: HostTime) {
    self.id = id
    self.nonce = nonce
    openedAt = now
    progressAt = now
    lastHeard = now
    lastPing = now
    parser = ProtocolParser(
      controlLineLimit: limits.controlLine, payloadLimit: limits.payload,
      isAwaitingAuthorization: true)
  }

  var pendingBytes: Int { output.readableBytes + bytesInFlight }

  /// What has to be done about a connection as time goes by.
  enum Verdict: Hashable, Sendable { case ping, authorizationTimeout, stale, stalled }

  mutating func check(_ limits: RelayConfiguration.Limits, now: HostTime) -> Verdict? {
    if isAttachment { return nil }
    if party == nil {
      return now - openedAt >= limits.authorizationTimeout ? .authorizationTimeout : nil
    }
    if bytesInFlight > 0, now - progressAt >= limits.writeStall { return .stalled }
    guard now - lastHeard >= limits.pingInterval, now - lastPing >= limits.pingInterval else {
      return nil
    }
    if pingsOutstanding >= limits.pingsOutstanding { return .stale }
    pingsOutstanding += 1
    lastPing = now
    return .ping
  }

  /// Leaves an empty buffer behind: the socket keeps the old one until it has been taken.
  mutating func takeOutput() -> ByteBuffer {
    let taken = output
    output = ByteBuffer()
    bytesInFlight += taken.readableBytes
    return taken
  }

  mutating func wrote(_ count: Int, now: HostTime) {
    bytesInFlight -= count
    progressAt = now
  }

  mutating func takeParser() -> ProtocolParser {
    let taken = parser
    parser = ProtocolParser(controlLineLimit: 0, payloadLimit: 0, isAwaitingAuthorization: true)
    return taken
  }

  /// Queues MSG, or HMSG if there are headers and the client reads them.
  mutating func append(_ message: ClientMessage, sid: [UInt8]) {
    let headers = options.headers ? message.headers : nil
    output.reserveCapacity(
      minimumWritableBytes: 64 + message.subject.bytes.count + sid.count
        + (message.reply?.bytes.count ?? 0) + message.payload.readableBytes
        + (headers?.readableBytes ?? 0))
    output.writeStaticString(headers == nil ? "MSG " : "HMSG ")
    output.writeBytes(message.subject.bytes)
    output.writeStaticString(" ")
    output.writeBytes(sid)
    output.writeStaticString(" ")
    if let reply = message.reply {
      output.writeBytes(reply.bytes)
      output.writeStaticString(" ")
    }
    if let headers {
      output.writeDecimal(headers.readableBytes)
      output.writeStaticString(" ")
    }
    output.writeDecimal(message.payload.readableBytes + (headers?.readableBytes ?? 0))
    output.writeStaticString("\r\n")
    if let headers { output.writeImmutableBuffer(headers) }
    output.writeImmutableBuffer(message.payload)
    output.writeStaticString("\r\n")
  }
}

/// One subscription of one connection.
struct Subscription: Sendable {
  let connection: ConnectionID
  let subject: Subject
  let group: [UInt8]?
  let sid: [UInt8]
  var delivered = 0
  /// The subscription ends after so many messages; 0 is never.
  var maximum = 0

  var isSpent: Bool { maximum > 0 && delivered >= maximum }
}

extension ByteBuffer {
  /// - Parameter value: 0 or more. `String(value)` would allocate for each message.
  fileprivate mutating func writeDecimal(_ value: Int) {
    if value >= 10 { writeDecimal(value / 10) }
    writeInteger(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
