/// One device in a party, with its own identity there: a ``ParticipantIdentity``, which lasts as long as it
/// is kept.
///
/// Mirrors `GroupActivities.Participant`: it represents a device, never an account.
public struct Participant: Hashable, Sendable, Identifiable {
  /// The participant's identifier, derived from its public key. It stays the same when the participant returns.
  public let id: ID
  /// The participant's name, unique in the party and cleaned of control characters: safe to draw.
  public let name: String
  /// The participant's role, proven by the creator's key and by the participants that it trusted.
  public let role: Role

  /// The door through which the participant's user came in, as the participant says; nil for a program of its own.
  public let door: Door?

  /// A Boolean value that indicates whether the participant is the host: the creator, until it hands over.
  public var isHost: Bool { role == .host }

  /// Creates a participant. Names and roles from other machines must be checked before.
  ///
  /// - Parameters:
  ///   - id: the identifier that follows from the participant's key.
  ///   - name: a name that is safe to draw.
  ///   - role: the role by the party's rules.
  ///   - door: the door through which the participant's user came in; nil for a program of its own.
  public init(id: ID, name: String, role: Role = .guest, door: Door? = nil) {
    self.id = id
    self.name = name
    self.role = role
    self.door = door
  }
}

extension Participant {
  /// A door of a member's program, its keeper, through which a user without such a program takes part. Participants that
  /// come through it are as trustworthy as the keeper, whose program speaks for them.
  public struct Door: Hashable, Sendable {
    /// The program of the user.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
      /// A page in a browser.
      case browser = 1
      /// A client of Syncplay's protocol, over a connection without encryption.
      case syncplay = 2
      /// A client of Syncplay's protocol, over TLS.
      case encryptedSyncplay = 3
    }

    /// The program of the user.
    public let kind: Kind
    /// The member whose program keeps the door.
    public let keeper: ID

    /// Creates a door.
    public init(_ kind: Kind, keeper: ID) {
      self.kind = kind
      self.keeper = keeper
    }
  }

  /// The first 128 bits of the SHA-256 of the participant's public key, so that no other participant can send
  /// under this id. Written as 32 hexadecimal digits.
  public struct ID: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Creates an identifier from its first and last 64 bits.
    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    /// - Returns: nil unless `text` is exactly 32 lower-case hexadecimal digits.
    public init?(_ text: String) {
      let digits = Array(text.utf8)
      guard digits.count == 32,
        digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
        let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
      else { return nil }
      self.init(high: high, low: low)
    }

    /// The id's 16 bytes, the most significant first.
    public var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
  }
}

extension Participant.ID: Comparable {
  public static func < (a: Participant.ID, b: Participant.ID) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}

extension Participant.ID: CustomStringConvertible {
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

extension Participant.ID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Participant.ID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a participant id is 32 lower-case hexadecimal digits")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The recipients of a message. Mirrors `GroupActivities.Participants`.
public enum Participants: Hashable, Sendable {
  /// All participants that have joined the session.
  case all
  /// These participants, as far as they have joined the session.
  case only(Set<Participant>)

  /// Returns the recipients of a message to one participant.
  public static func only(_ participant: Participant) -> Participants { .only([participant]) }
}
