import Foundation
import GroupActivities
import Timekeeping

/// The values of events about the party.
extension ScreeningEvent {
  /// A participant, as an event names it.
  package struct Person: Hashable, Sendable, Encodable {
    package var id: Participant.ID
    package var name: String

    package init(id: Participant.ID, name: String) {
      self.id = id
      self.name = name
    }

    package init(_ participant: Participant) {
      self.init(id: participant.id, name: participant.name)
    }
  }

  /// A vote about the film.
  package struct Vote: Hashable, Sendable, Encodable {
    package var proposal: Voting.Proposal
    /// The name of the participant who asks.
    package var by: String
    /// The outcome; nil while the vote continues.
    @Nullable package var accepted: Bool?
    /// The number of participants who are for it.
    package var yes: Int
    /// The number of participants who may vote.
    package var of: Int

    package init(
      _ proposal: Voting.Proposal, by name: String, isAccepted: Bool?, yes: Int, of voters: Int
    ) {
      (self.proposal, by, self.yes, of) = (proposal, name, yes, voters)
      _accepted = Nullable(wrappedValue: isAccepted)
    }
  }

  /// A remark of an earlier evening.
  package struct Echo: Hashable, Sendable, Encodable {
    /// The author's name.
    package var from: String
    package var text: String
    /// Seconds from the film's beginning.
    package var position: Double

    package init(_ echo: Echoes.Echo) {
      (from, text) = (echo.name, echo.text)
      position = echo.itemTime.seconds.rounded(to: 3)
    }
  }

  /// A place in a film that several people marked.
  package struct Moment: Hashable, Sendable, Encodable {
    /// The film's title.
    package var title: String
    /// Seconds from the film's beginning.
    package var position: Double
    package var names: [String]
    /// The file with the picture of that moment; nil without one.
    @Nullable package var picture: String?

    package init(title: String, position: MediaTime, names: [String], picture: String? = nil) {
      (self.title, self.names) = (title, names)
      self.position = position.seconds.rounded(to: 3)
      _picture = Nullable(wrappedValue: picture)
    }
  }

  /// An earlier meeting with a participant.
  package struct Encounter: Hashable, Sendable, Encodable {
    /// The participant's name then.
    package var name: String
    @Timestamp package var last: Date

    private enum CodingKeys: String, CodingKey {
      case name = "as"
      case last
    }

    package init(name: String, last: Date) {
      self.name = name
      _last = Timestamp(wrappedValue: last)
    }
  }

  /// The ways for others to reach the party that this program hosts.
  package struct Access: Hashable, Sendable, Encodable {
    package struct Address: Hashable, Sendable, Encodable {
      package var address: String
      /// The network from which the address works.
      package var kind: String

      package init(address: String, kind: String) {
        self.address = address
        self.kind = kind
      }
    }

    /// The invite's text, which is a secret.
    package var invite: String
    /// The addresses, best first.
    package var addresses: [Address]
    /// The router's result; nil if it isn't asked.
    @Nullable package var router: String?
    /// A Boolean value that indicates whether the party is announced on the local network.
    package var announced: Bool
    /// A problem with its remedy; nil if there is none, or if it isn't known yet.
    @Nullable package var advice: String?
    /// A message for the host, once the result is known.
    @Nullable package var news: String?

    package init(
      invite: String, addresses: [Address], router: String? = nil, announced: Bool = false,
      advice: String? = nil, news: String? = nil
    ) {
      self.invite = invite
      self.addresses = addresses
      self.announced = announced
      _router = Nullable(wrappedValue: router)
      _advice = Nullable(wrappedValue: advice)
      _news = Nullable(wrappedValue: news)
    }
  }

  /// The party's rules, and their differences from the earlier ones.
  package struct RulesChange: Hashable, Sendable, Encodable {
    package var by: String
    package var control: PartyRules.Control
    /// A Boolean value that indicates whether the party ends with its host.
    package var endsWithHost: Bool
    package var waitFor: PartyRules.Waiting
    /// A Boolean value that indicates whether newcomers aren't admitted.
    package var closed: Bool
    /// The differences as texts for people, which follow the name of the participant who made them.
    package var changes: [String]

    private enum CodingKeys: String, CodingKey {
      case by, control, waitFor, closed, changes
      case lifetime
    }

    /// - Parameter name: returns a participant's name.
    package init(
      _ rules: PartyRules, from old: PartyRules, by: String, name: (Participant.ID) -> String
    ) {
      self.init(
        by: by, control: rules.control, endsWithHost: rules.lifetime == .endsWhenHostLeaves,
        waitFor: rules.waiting, closed: rules.admitted != nil,
        changes: rules.changes(from: old, name: name))
    }

    package init(
      by: String, control: PartyRules.Control, endsWithHost: Bool, waitFor: PartyRules.Waiting,
      closed: Bool, changes: [String]
    ) {
      self.by = by
      self.control = control
      self.endsWithHost = endsWithHost
      self.waitFor = waitFor
      self.closed = closed
      self.changes = changes
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(by, forKey: .by)
      try container.encode(control, forKey: .control)
      try container.encode(endsWithHost ? "host" : "automatic", forKey: .lifetime)
      try container.encode(waitFor, forKey: .waitFor)
      try container.encode(closed, forKey: .closed)
      try container.encode(changes, forKey: .changes)
    }
  }

  /// A participant with its state.
  package struct RosterEntry: Hashable, Sendable, Encodable {
    package enum Role: String, Hashable, Sendable, Encodable {
      case host, guest
      case coHost = "co-host"
    }

    package var id: Participant.ID
    package var name: String
    package var host: Bool
    package var role: Role
    /// A Boolean value that indicates whether this is the participant of this program.
    package var you: Bool
    /// A Boolean value that indicates whether the participant has the party's film open, follows the group, and isn't
    /// waited for.
    package var ready = false
    package var suspensions: [String] = []
    @Nullable package var item: String?
    @Nullable package var syncErrorMs: Double?
    @Nullable package var syncUncertaintyMs: Double?
    /// The loaded part in per cent; nil while the player doesn't wait for data.
    @Nullable package var loadedPercent: Int?
    /// The part of another participant's copy that has arrived, in per cent; nil for a participant with a copy of its own.
    @Nullable package var arrivedPercent: Int?
    /// A Boolean value that indicates whether the participant watches another copy of its film, by time.
    package var otherCopy = false
    /// The kind of the door through which the participant came, and the name of its keeper; nil for a program of its own.
    @Nullable package var door: Door?

    package struct Door: Hashable, Sendable, Encodable {
      package var kind: String
      package var encrypted: Bool
      /// Nil if the keeper isn't present.
      @Nullable package var keeper: String?
      /// The film that this program sends, as the keeper, in Mbit/s; nil for others.
      @Nullable package var uploadMbps: Double?

      /// - Parameter name: the name of a participant who is present.
      package init(_ door: Participant.Door, name: (Participant.ID) -> String?) {
        kind = door.kind == .browser ? "browser" : "syncplay"
        encrypted = door.kind != .syncplay
        _keeper = Nullable(wrappedValue: name(door.keeper))
      }
    }

    package init(_ participant: Participant, isMe: Bool) {
      id = participant.id
      name = participant.name
      host = participant.isHost
      role =
        switch participant.role {
        case .host: .host
        case .coHost: .coHost
        case .guest: .guest
        }
      you = isMe
    }
  }
}
