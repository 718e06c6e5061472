import Foundation
import Timekeeping

/// Everything that participants say to each other, before it is signed and sealed.
///
/// On the wire a message is JSON: its type's stable name, that type's version, and its body; what is sent all
/// the time is binary (`WireMessage+Binary.swift`). A type or version that this program doesn't know is
/// reported and skipped.
enum WireMessage: Hashable, Sendable {
  // Events.
  case chat(ChatText)
  case session(SessionRegister)
  case coordination(CoordinationReport)
  case app(AppMessage)
  case charter(CharterLinks)
  case leave(Leave)
  // Beacons.
  case beacon(Beacon)
  // Direct.
  case probe(Probe)
  case probeReply(ProbeReply)
  case resendRequest(ResendRequest)
  case resendRefusal(ResendRefusal)
  case stateRequest(StateRequest)
  case state(SessionRegister)
  case farewell(Farewell)
  case charterRequest(CharterRequest)
  case coordinationRequest(CoordinationRequest)
  case arrival(Arrival)
  case welcome(Welcome)
  case vector(EventVector)
  case originals(Originals)
  case roster(RosterComparison)
  // Journals.
  case journal(JournalPacket)
}

struct ChatText: Hashable, Sendable, Codable {
  var text: String
}

/// The announcement of a departure, so that nobody has to wait for silence.
struct Leave: Hashable, Sendable, Codable {
  /// True when the party can't continue without its sender, which takes the relay along; absent from programs that
  /// don't know it.
  var closesParty: Bool?
}

/// The answer to a ``Leave``: whoever left is not there to repeat it.
struct Farewell: Hashable, Sendable, Codable {}

/// What one participant's playback coordinator says, opaque to this layer.
struct CoordinationReport: Hashable, Sendable, Codable {
  var session: GroupSessionID
  var data: Data
  /// Counts this participant's reports from 1: the newest wins.
  var version: UInt64 = 0
  /// True if its user did something for everybody: the receivers process it first. Absent from programs that don't know
  /// it.
  var isCommand: Bool?
}

/// Asks for somebody's report, where its beacon speaks of a newer one than has come.
struct CoordinationRequest: Hashable, Sendable, Codable {}

/// The heartbeat: who I am and what I hold. Newest wins, never repaired; whatever it repeats heals
/// within one interval when a message was lost.
struct Beacon: Hashable, Sendable, Codable {
  var name: String
  /// Group time at which the sender joined; nil while it is still arriving.
  var joinedAt: GroupTime?
  /// The sequence number of the sender's last event, so that the loss of the last one shows too.
  var lastEvent: UInt64
  /// The session registers that the sender holds: ``PartySessions/limit`` at most.
  var sessions: [HeldSession] = []
  /// The sender's newest ``CoordinationReport/version``; 0 for none.
  var coordination: UInt64 = 0
  /// What of its coordinator's report changes all the time, opaque to this layer; at most ``briefLimit``
  /// bytes.
  var brief: Data?
  /// What tells the charter that the sender holds from others.
  var charter: UInt64?
  /// The sender's clock uncertainty and round trip to the reference, in microseconds.
  var clockUncertainty: Int64?
  var clockRoundTrip: Int64?
  /// Group time at which it was sent: what is older than it can be was played back.
  var sentAt: GroupTime?
  /// How long the sender's beacons lie apart, in milliseconds.
  var interval: UInt64 = 0
  /// How many there are in the party, as far as the sender knows.
  var count: UInt64 = 1
  /// How many of the sender's events nobody needs who first hears of it: those of before it became active.
  var settled: UInt64 = 0
  /// From the reference: what tells whom it knows; 0 where that isn't compared.
  var roster: UInt64 = 0

  static let briefLimit = 64

  struct HeldSession: Hashable, Sendable, Codable {
    /// ``SessionRegister/kind``
    var kind: UInt32
    var stamp: Stamp
    /// The session, if the sender has joined it.
    var joined: GroupSessionID?
  }

  func hasJoined(_ id: GroupSessionID) -> Bool { sessions.contains { $0.joined == id } }
}

/// A challenge and one half of a clock exchange. Only its nonce matters: whoever answers it is alive.
struct Probe: Hashable, Sendable, Codable {
  var nonce: UInt64
  /// Whether the sender wants the roster and the receiver's beacon too.
  var introduction: Bool
}

/// The other half of a clock exchange.
struct ProbeReply: Hashable, Sendable, Codable {
  var nonce: UInt64
  /// When the probe arrived and when this reply left; nil while the sender has no group time.
  var times: Times?
  /// The number of the last event that the receiver need not ask for.
  var baseline: UInt64
  var introduction: Introduction?

  struct Times: Hashable, Sendable, Codable {
    var received: GroupTime
    var sent: GroupTime
    /// How far the sender's group time may be off, in nanoseconds.
    var uncertainty: Int64
  }

  struct Introduction: Hashable, Sendable, Codable {
    var beacon: Beacon
    var beaconSequence: UInt64
    /// Who is in the party, as far as the sender knows; at most 256.
    var members: [Participant.ID]
    /// What the sender's coordinator has to say.
    var coordination: CoordinationReport?
    /// The participants with the earliest arrivals, the sender among them, as the sender witnessed them; at most
    /// ``ArrivalTestimonies/limit``.
    var seniors: [Senior]?
  }

  struct Senior: Hashable, Sendable, Codable {
    var id: Participant.ID
    var arrivedAt: GroupTime

    private enum CodingKeys: String, CodingKey {
      case id = "i"
      case arrivedAt = "t"
    }
  }
}

/// Asks for events that didn't come.
struct ResendRequest: Hashable, Sendable, Codable {
  var from: UInt64
  var through: UInt64
  /// Whose, where everybody is told, so that whoever lacks the same needn't ask.
  var of: Participant.ID?
}

/// Somebody comes, and wants to know from any one of the party what there is to know.
struct Arrival: Hashable, Sendable, Codable {
  /// Only its answer counts.
  var nonce: UInt64
}

/// The answer to an ``Arrival``. In a party in which not everybody introduces themselves the newest beacons of
/// the others follow as ``Originals``.
struct Welcome: Hashable, Sendable, Codable {
  var reply: ProbeReply
  /// As many as fit; the next beacon speaks of the others.
  var sessions: [SessionRegister] = []
  /// How many are in the party.
  var count: UInt64

  private static let activitiesLimit = 24 * 1024

  /// What a message has room for besides the rest.
  static func fitting(_ sessions: [SessionRegister]) -> [SessionRegister] {
    var room = activitiesLimit
    return sessions.filter { session in
      guard session.activity.count <= room else { return false }
      room -= session.activity.count
      return true
    }
  }
}

/// Up to where somebody has the others' events.
struct EventVector: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    /// The first that it doesn't have.
    var next: UInt64
  }

  var entries: [Entry]
  /// Whether everybody was told: whoever has more tells everybody.
  var isPublic = false

  static let limit = 256
}

/// Whom somebody knows, itself included, each as a hash.
struct RosterComparison: Hashable, Sendable {
  var known: [UInt32]
  var purpose = Purpose.question

  enum Purpose: UInt8, Sendable {
    /// Tell me whom I don't know, and ask for whom you don't.
    case question = 0
    /// I don't know all of yours either.
    case answer = 1
    /// Let everybody hear of you: somebody doesn't know you, and I have nothing that proves you.
    case showYourself = 2
  }

  static let limit = 512

  /// Identities are hashes already.
  static func hash(_ id: Participant.ID) -> UInt32 { UInt32(truncatingIfNeeded: id.low) }
}

extension WireMessage {
  /// Whether a program says it of itself: such events are no sign of a busy user.
  var isOwnWord: Bool { if case .coordination = self { true } else { false } }
}

/// What others said to everybody, as they signed it: proof against whoever passes it on.
struct Originals: Hashable, Sendable {
  var signed: [[UInt8]]

  /// What fits into one message with its envelope: a broker takes 64 KiB.
  static let sizeLimit = 56 * 1024
  static let limit = 256
}

/// Says that events up to and including this one are no longer kept.
struct ResendRefusal: Hashable, Sendable, Codable {
  var through: UInt64
}

/// What one participant's journal says, opaque to this layer.
struct JournalPacket: Hashable, Sendable {
  var session: GroupSessionID
  var data: Data
}

/// Asks for the session registers.
struct StateRequest: Hashable, Sendable, Codable {}

/// Identifies a session within its party.
public struct GroupSessionID: Hashable, Sendable, Codable, CustomStringConvertible {
  let rawValue: UInt64

  public var description: String { String(rawValue, radix: 16) }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt64.self)
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
