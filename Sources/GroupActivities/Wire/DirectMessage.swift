/// A question or an answer, to one participant or to all. Its order doesn't matter, and it isn't repeated automatically.
enum DirectMessage: Hashable, Sendable {
  case probe(Probe)
  case probeReply(ProbeReply)
  case resendRequest(ResendRequest)
  case resendRefusal(ResendRefusal)
  /// Asks for the session registers.
  case stateRequest
  case state(SessionRegister)
  /// The answer to a ``Leave``, which its sender can't repeat once it is gone.
  case leaveReply
  /// Asks for the policy log.
  case policyLogRequest
  case policyLog(PolicyLogLinks)
  /// Asks for a participant's report, if its beacon announces a newer one than has arrived.
  case coordinationRequest
  case coordination(CoordinationReport)
  case arrival(Arrival)
  case welcome(Welcome)
  case vector(EventVector)
  case originals(Originals)
  case roster(RosterComparison)
  case keyRequest(KeyRequest)
  case keyShares(KeyShares)

  /// A Boolean value that indicates whether a participant answers it although it doesn't know the sender, in a party of
  /// which no roster contains all.
  var mayBeStrangers: Bool {
    switch self {
    case .resendRequest, .vector, .roster, .stateRequest, .policyLogRequest, .coordinationRequest:
      true
    case .probe, .probeReply, .resendRefusal, .state, .leaveReply, .policyLog, .coordination,
      .arrival,
      .welcome, .originals, .keyRequest, .keyShares:
      false
    }
  }
}

extension DirectMessage: BinaryCodable {
  /// The numbers of the types. Never reuse one.
  private enum Kind: UInt8 {
    case probe = 1
    case probeReply = 2
    case resendRequest = 3
    case resendRefusal = 4
    case stateRequest = 5
    case state = 6
    case leaveReply = 7
    case policyLogRequest = 8
    case policyLog = 9
    case coordinationRequest = 10
    case coordination = 11
    case arrival = 12
    case welcome = 13
    case vector = 14
    case originals = 15
    case roster = 16
    case keyRequest = 17
    case keyShares = 18
    // Earlier programs sent 19.
  }

  func write(to writer: inout BinaryWriter) {
    func write(_ kind: Kind) { writer.byte(kind.rawValue) }
    func write(_ kind: Kind, _ body: some BinaryCodable) {
      writer.byte(kind.rawValue)
      writer.value(body)
    }
    switch self {
    case .probe(let body): write(.probe, body)
    case .probeReply(let body): write(.probeReply, body)
    case .resendRequest(let body): write(.resendRequest, body)
    case .resendRefusal(let body): write(.resendRefusal, body)
    case .stateRequest: write(.stateRequest)
    case .state(let body): write(.state, body)
    case .leaveReply: write(.leaveReply)
    case .policyLogRequest: write(.policyLogRequest)
    case .policyLog(let body): write(.policyLog, body)
    case .coordinationRequest: write(.coordinationRequest)
    case .coordination(let body): write(.coordination, body)
    case .arrival(let body): write(.arrival, body)
    case .welcome(let body): write(.welcome, body)
    case .vector(let body): write(.vector, body)
    case .originals(let body): write(.originals, body)
    case .roster(let body): write(.roster, body)
    case .keyRequest(let body): write(.keyRequest, body)
    case .keyShares(let body): write(.keyShares, body)
    }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("direct message \(number)") }
    switch kind {
    case .probe: self = .probe(try reader.value())
    case .probeReply: self = .probeReply(try reader.value())
    case .resendRequest: self = .resendRequest(try reader.value())
    case .resendRefusal: self = .resendRefusal(try reader.value())
    case .stateRequest: self = .stateRequest
    case .state: self = .state(try reader.value())
    case .leaveReply: self = .leaveReply
    case .policyLogRequest: self = .policyLogRequest
    case .policyLog: self = .policyLog(try reader.value())
    case .coordinationRequest: self = .coordinationRequest
    case .coordination: self = .coordination(try reader.value())
    case .arrival: self = .arrival(try reader.value())
    case .welcome: self = .welcome(try reader.value())
    case .vector: self = .vector(try reader.value())
    case .originals: self = .originals(try reader.value())
    case .roster: self = .roster(try reader.value())
    case .keyRequest: self = .keyRequest(try reader.value())
    case .keyShares: self = .keyShares(try reader.value())
    }
  }
}
