/// A question about the content key of the sender's epoch, and about one with which it couldn't open a message.
struct KeyRequest: Hashable, Sendable {
  /// The sender's ``KeyExchange/publicKey``: the answer is sealed for it.
  var publicKey: [UInt8]
  /// The epoch of the rules that the sender holds.
  var epoch: KeyEpoch
  /// A key that the sender lacks; nil for none in particular.
  var wanted: ContentKeyID?
  /// The number of answers that the sender hopes for, of all that receive the question. It grows with each question, so
  /// that many holders of a key send few answers, and a single one is found soon; eight count at most.
  var answers: UInt64 = .max
}

/// The secret of an epoch, sealed for each of some participants.
struct KeyShares: Hashable, Sendable {
  struct Share: Hashable, Sendable {
    var recipient: Participant.ID
    var sealed: [UInt8]

    static let byteCount = EpochSecret.byteCount + KeyExchange.overhead
  }

  var epoch: KeyEpoch
  /// The participant that drew the secret, which another one may have sealed.
  var author: Participant.ID
  /// The author's signature over ``EpochSecret/provenBytes``.
  var proof: Proof
  var shares: [Share]

  /// The number of shares of 96 bytes that fit one message.
  static let limit = 512
}

extension KeyRequest: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.fixed(publicKey)
    writer.value(epoch)
    writer.value(wanted ?? .invite)
    writer.number(answers)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    publicKey = try reader.fixed(KeyExchange.publicKeyByteCount)
    epoch = try reader.value()
    let key: ContentKeyID = try reader.value()
    wanted = key == .invite ? nil : key
    answers = try reader.number()
  }
}

extension KeyShares: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(epoch)
    writer.value(author)
    writer.value(proof)
    writer.list(shares)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    epoch = try reader.value()
    author = try reader.value()
    proof = try reader.value()
    shares = try reader.list(limit: Self.limit)
  }
}

extension KeyShares.Share: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(recipient)
    writer.fixed(sealed)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    recipient = try reader.value()
    sealed = try reader.fixed(Self.byteCount)
  }
}

/// The key that a message is sealed with.
enum Confidentiality: Hashable, Sendable {
  /// The key of the epoch: a participant that the rules exclude can't read the message.
  case epoch
  /// The key of the epoch, or the invite's while the sender lacks it: the message has no content.
  case epochIfKnown
  /// The invite's key: a participant without the key of the epoch has to read the message, and so may a removed one.
  case invite
}

extension WireMessage {
  var confidentiality: Confidentiality {
    switch self {
    case .event(let event): event.confidentiality
    case .direct(let message): message.confidentiality
    case .beacon, .loose, .lane: .epoch
    }
  }
}

extension EventMessage {
  fileprivate var confidentiality: Confidentiality {
    switch self {
    case .policyLog: .invite
    case .leave: .epochIfKnown
    case .chat, .session, .coordination, .app: .epoch
    }
  }
}

extension DirectMessage {
  fileprivate var confidentiality: Confidentiality {
    switch self {
    case .arrival, .policyLog, .policyLogRequest, .keyRequest, .keyShares: .invite
    case .leaveReply: .epochIfKnown
    case .probe, .probeReply, .resendRequest, .resendRefusal, .stateRequest, .state,
      .coordinationRequest, .coordination, .welcome, .vector, .originals, .roster:
      .epoch
    }
  }
}
