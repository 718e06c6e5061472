import Foundation
import Timekeeping

/// A message between participants, before it is signed and sealed.
///
/// On the wire a message is JSON: its type's stable name, that type's version, and its body. Frequent messages are
/// binary (`WireMessage+Binary.swift`). A type or version that this program doesn't know is reported and skipped.
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
  // Lanes.
  case lane(LanePacket)
}

struct ChatText: Hashable, Sendable, Codable {
  var text: String
}

/// The announcement of a departure, so that the others needn't wait for silence.
struct Leave: Hashable, Sendable, Codable {
  /// True if the party can't continue without its sender, because the relay ends with it. Absent from programs that
  /// don't know this field.
  var closesParty: Bool?
}

/// The answer to a ``Leave``, which its sender can't repeat once it is gone.
struct Farewell: Hashable, Sendable, Codable {}

/// A report of one participant's playback coordinator, opaque to this layer.
struct CoordinationReport: Hashable, Sendable, Codable {
  var session: GroupSessionID
  var data: Data
  /// The number of the report among this participant's reports, from 1. The newest wins.
  var version: UInt64 = 0
  /// True if the sender's user did something for the whole group: the receivers process it first. Absent from programs
  /// that don't know this field.
  var isCommand: Bool?
}

/// Asks for a participant's report, if its beacon announces a newer one than has arrived.
struct CoordinationRequest: Hashable, Sendable, Codable {}

/// The heartbeat: the sender's identity and state. The newest wins, and none is repaired: if a message was lost, the
/// next beacon makes up for it within one interval.
struct Beacon: Hashable, Sendable, Codable {
  var name: String
  /// The group time at which the sender joined; nil while it is still arriving.
  var joinedAt: GroupTime?
  /// The sequence number of the sender's last event, so that the loss of the last event is noticed too.
  var lastEvent: UInt64
  /// The session registers that the sender holds: ``sessionLimit`` at most.
  var sessions: [HeldSession] = []
  /// The sender's newest ``CoordinationReport/version``; 0 for none.
  var coordination: UInt64 = 0
  /// The part of its coordinator's report that changes all the time, opaque to this layer; at most ``briefLimit``
  /// bytes.
  var brief: Data?
  /// The digest of the policy log that the sender holds.
  var charter: UInt64?
  /// The sender's clock uncertainty and round trip to the reference, in microseconds.
  var clockUncertainty: Int64?
  var clockRoundTrip: Int64?
  /// The group time at which the beacon was sent: a beacon that is older than possible was replayed.
  var sentAt: GroupTime?
  /// The interval between the sender's beacons, in milliseconds.
  var interval: UInt64 = 0
  /// The number of participants in the party, as far as the sender knows.
  var count: UInt64 = 1
  /// The number of the sender's events that a participant to which it is new doesn't need: those from before it became
  /// active.
  var settled: UInt64 = 0
  /// The digest of the reference's roster, in the reference's beacons; 0 if rosters aren't compared.
  var roster: UInt64 = 0
  /// The sender's wall clock, if a time service keeps it.
  var wallClock: WallClockClaim?

  static let briefLimit = 64
  /// The number of kinds of activity, each with one session, that a participant holds.
  static let sessionLimit = 4

  struct HeldSession: Hashable, Sendable, Codable {
    /// The session's ``SessionRegister/kind``.
    var kind: UInt32
    var stamp: Stamp
    /// The session, if the sender has joined it.
    var joined: GroupSessionID?
  }

  func hasJoined(_ id: GroupSessionID) -> Bool { sessions.contains { $0.joined == id } }
}

/// A challenge and one half of a clock exchange. Only its nonce matters: a participant that answers it is alive.
struct Probe: Hashable, Sendable, Codable {
  var nonce: UInt64
  /// A Boolean value that indicates whether the sender also requests the roster and the receiver's beacon.
  var introduction: Bool
}

/// The other half of a clock exchange.
struct ProbeReply: Hashable, Sendable, Codable {
  var nonce: UInt64
  /// The times of the probe's arrival and of this reply's departure; nil while the sender has no group time.
  var times: Times?
  /// The number of the last event that the receiver needn't request.
  var baseline: UInt64
  var introduction: Introduction?

  struct Times: Hashable, Sendable, Codable {
    var received: GroupTime
    var sent: GroupTime
    /// The uncertainty of the sender's group time, in nanoseconds.
    var uncertainty: Int64
  }

  struct Introduction: Hashable, Sendable, Codable {
    var beacon: Beacon
    var beaconSequence: UInt64
    /// The participants in the party, as far as the sender knows; at most 256.
    var members: [Participant.ID]
    /// The latest report of the sender's coordinator.
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

/// Asks for events that didn't arrive.
struct ResendRequest: Hashable, Sendable, Codable {
  var from: UInt64
  var through: UInt64
  /// The author of the events, in a request to all participants: those that lack the same events then needn't ask.
  var of: Participant.ID?
}

/// A newcomer's question to any one participant about the state of the party.
struct Arrival: Hashable, Sendable, Codable {
  /// The number of the question: only the answer to it counts.
  var nonce: UInt64
}

/// The answer to an ``Arrival``. In a party where not all participants introduce themselves, the newest beacons of the
/// others follow as ``Originals``.
struct Welcome: Hashable, Sendable, Codable {
  var reply: ProbeReply
  /// As many sessions as fit; the next beacon announces the others.
  var sessions: [SessionRegister] = []
  /// The number of participants in the party.
  var count: UInt64

  private static let activitiesLimit = 24 * 1024

  /// Returns the sessions that fit into a message besides its other contents.
  static func fitting(_ sessions: [SessionRegister]) -> [SessionRegister] {
    var room = activitiesLimit
    return sessions.filter { session in
      guard session.activity.count <= room else { return false }
      room -= session.activity.count
      return true
    }
  }
}

/// The events of the others that a participant has, as the next number of each.
struct EventVector: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    /// The number of the first event that the participant doesn't have.
    var next: UInt64
  }

  var entries: [Entry]
  /// A Boolean value that indicates whether all participants received the vector: one that has more events then sends
  /// them to all.
  var isPublic = false

  static let limit = 256
}

/// The participants that one participant knows, itself included, each as a hash.
struct RosterComparison: Hashable, Sendable {
  var known: [UInt32]
  var purpose = Purpose.question

  enum Purpose: UInt8, Sendable {
    /// A question. The receiver sends the participants that the sender doesn't know, and asks for those that it doesn't
    /// know itself.
    case question = 0
    /// A question in return, from a receiver that doesn't know all of the sender's participants either.
    case answer = 1
    /// A request to send a beacon to all: a participant doesn't know the receiver, and the sender has no proof of it to
    /// pass on.
    case showYourself = 2
  }

  static let limit = 512

  /// Returns a part of an identity, which is a hash already.
  static func hash(_ id: Participant.ID) -> UInt32 { UInt32(truncatingIfNeeded: id.low) }
}

extension WireMessage {
  /// A Boolean value that indicates whether the program sends the message unasked: such events don't show that the user
  /// is active.
  var isOwnWord: Bool { if case .coordination = self { true } else { false } }
}

/// Messages of others to all participants, as they signed them: a participant that passes them on can't change them.
struct Originals: Hashable, Sendable {
  var signed: [[UInt8]]

  /// The bytes that fit into one message with its envelope: a broker accepts 64 KiB.
  static let sizeLimit = 56 * 1024
  static let limit = 256
}

/// Reports that events up to and including this one are no longer kept.
struct ResendRefusal: Hashable, Sendable, Codable {
  var through: UInt64
}

/// Asks for the session registers.
struct StateRequest: Hashable, Sendable, Codable {}
