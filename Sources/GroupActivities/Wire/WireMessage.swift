/// A message between participants, before it is signed and sealed: one kind for each ``Envelope/Delivery``.
///
/// On the wire a message is the number of its type, one byte, and its fields in the canonical form (``BinaryWriter``).
/// `Wire.md` describes each type.
indirect enum WireMessage: Hashable, Sendable {
  /// In order and exactly once.
  case event(EventMessage)
  /// The newest wins.
  case beacon(Beacon)
  /// A question or an answer, without an order.
  case direct(DirectMessage)
  /// At most once, in any order.
  case loose(AppMessage)
  /// Like `loose`, for users that repair losses.
  case lane(LanePacket)

  /// The session layer's treatment of the message.
  var delivery: Envelope.Delivery {
    switch self {
    case .event: .event
    case .beacon: .beacon
    case .direct: .direct
    case .loose: .loose
    case .lane: .lane
    }
  }
}

extension WireMessage {
  /// The number of the only type of message with this delivery.
  private static let only: UInt8 = 1

  func encoded() -> [UInt8] {
    var writer = BinaryWriter()
    switch self {
    case .event(let event): writer.value(event)
    case .direct(let message): writer.value(message)
    case .beacon(let beacon):
      writer.byte(Self.only)
      writer.value(beacon)
      beacon.writeFields(to: &writer)
    case .loose(let message):
      writer.byte(Self.only)
      writer.value(message)
    case .lane(let packet):
      writer.byte(Self.only)
      writer.value(packet)
    }
    return writer.bytes
  }

  /// - Throws: ``WireError/unknown(_:)`` for a type that only newer programs know.
  init(
    decoding bytes: some Collection<UInt8>, as delivery: Envelope.Delivery
  ) throws(WireError) {
    var reader = BinaryReader(Array(bytes)[...])
    switch delivery {
    case .event: self = .event(try reader.value())
    case .direct: self = .direct(try reader.value())
    case .beacon:
      try Self.checkType(&reader, "beacon")
      var beacon: Beacon = try reader.value()
      try beacon.readFields(from: &reader)
      self = .beacon(beacon)
    case .loose:
      try Self.checkType(&reader, "loose message")
      self = .loose(try reader.value())
    case .lane:
      try Self.checkType(&reader, "lane message")
      self = .lane(try reader.value())
    }
    guard reader.isAtEnd else { throw .malformed }
  }

  private static func checkType(_ reader: inout BinaryReader, _ name: String) throws(WireError) {
    let type = try reader.byte()
    guard type == only else { throw .unknown("\(name) \(type)") }
  }
}

/// Shorthands for messages with one usual delivery.
extension WireMessage {
  static func chat(_ text: ChatText) -> Self { .event(.chat(text)) }
  static func session(_ register: SessionRegister) -> Self { .event(.session(register)) }
  static func coordination(_ report: CoordinationReport) -> Self { .event(.coordination(report)) }
  static func app(_ message: AppMessage) -> Self { .event(.app(message)) }
  static func policyLog(_ links: PolicyLogLinks) -> Self { .event(.policyLog(links)) }
  static func leave(_ leave: Leave) -> Self { .event(.leave(leave)) }
  static func probe(_ probe: Probe) -> Self { .direct(.probe(probe)) }
  static func probeReply(_ reply: ProbeReply) -> Self { .direct(.probeReply(reply)) }
  static func arrival(_ arrival: Arrival) -> Self { .direct(.arrival(arrival)) }
  static func welcome(_ welcome: Welcome) -> Self { .direct(.welcome(welcome)) }
  static func state(_ register: SessionRegister) -> Self { .direct(.state(register)) }
  static func vector(_ vector: EventVector) -> Self { .direct(.vector(vector)) }
  static func originals(_ originals: Originals) -> Self { .direct(.originals(originals)) }
  static func roster(_ comparison: RosterComparison) -> Self { .direct(.roster(comparison)) }
  static func resendRequest(_ request: ResendRequest) -> Self { .direct(.resendRequest(request)) }
  static func resendRefusal(_ refusal: ResendRefusal) -> Self { .direct(.resendRefusal(refusal)) }
  static func keyRequest(_ request: KeyRequest) -> Self { .direct(.keyRequest(request)) }
  static func keyShares(_ shares: KeyShares) -> Self { .direct(.keyShares(shares)) }
  static var stateRequest: Self { .direct(.stateRequest) }
  static var policyLogRequest: Self { .direct(.policyLogRequest) }
  static var coordinationRequest: Self { .direct(.coordinationRequest) }
  static var leaveReply: Self { .direct(.leaveReply) }
}
