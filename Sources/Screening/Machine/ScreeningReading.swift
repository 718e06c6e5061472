import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The facts by which a command is decided: what the coordinator, the player and the party report at one moment.
package struct ScreeningReading: Hashable, Sendable {
  package struct Player: Hashable, Sendable {
    package var itemTime: MediaTime?
    /// The duration; nil while unknown, and for streams without end.
    package var duration: MediaTime?
    package var isAtEnd = false
    /// A Boolean value that indicates whether the film can be sought: one without time stamps, or an endless stream,
    /// can't.
    package var canSeek = true
    /// The duration of a frame; nil if there are no frames.
    package var frameDuration: Duration?
    /// The beginnings of the chapters.
    package var chapters: [MediaTime] = []
    /// The earliest position of a live stream that can be sought; nil for other films.
    package var earliest: MediaTime?

    package init() {}
  }

  package struct Party: Hashable, Sendable {
    /// The party's session of watching films.
    package enum SessionState: Hashable, Sendable {
      /// There is none, or it has ended.
      case over
      case waiting
      case joined
    }

    package var me: Participant.ID
    package var rules: PartyRules
    /// The participants who are present.
    package var participants: [Participant]
    /// The group's time; nil while it isn't known.
    package var groupTime: GroupTime?
    package var session: SessionState

    package init(
      me: Participant.ID, rules: PartyRules, participants: [Participant], groupTime: GroupTime?,
      session: SessionState
    ) {
      self.me = me
      self.rules = rules
      self.participants = participants
      self.groupTime = groupTime
      self.session = session
    }

    package var role: Participant.Role { rules.role(of: me) }
    /// A Boolean value that indicates whether the rules let this participant control playback for everyone.
    package var mayControl: Bool { rules.mayControl(me) }
  }

  package var coordinator: CoordinatorSnapshot
  /// A Boolean value that indicates whether this participant's commands apply: to the group, or to this player while it is
  /// apart.
  package var mayControl: Bool
  /// The latest end of the film that the group knows; nil if none is known.
  package var groupItemEnd: MediaTime?
  package var player: Player
  /// Nil outside a party.
  package var party: Party?
  package var isLive = false
  /// A Boolean value that indicates whether the trailer on the screen is paused; nil without a trailer.
  package var isTrailerPaused: Bool?

  package init(
    coordinator: CoordinatorSnapshot, mayControl: Bool, player: Player, party: Party?
  ) {
    self.coordinator = coordinator
    self.mayControl = mayControl
    self.player = player
    self.party = party
  }

  /// A Boolean value that indicates whether this participant may choose films and change the playlist for everyone.
  package var mayChoose: Bool { party?.mayControl ?? true }

  /// A Boolean value that indicates whether this participant is apart from the group, and not only without data.
  var isApart: Bool { coordinator.suspensionReasons.contains { $0 != .stallRecovery } }

  var isPlaying: Bool { coordinator.status == .playing }

  var isPlayingOrWaiting: Bool {
    switch coordinator.status {
    case .playing, .waiting: true
    case .noItem, .paused: false
    }
  }

  /// A Boolean value that indicates whether the film on the screen is over. Another participant's film may have ended a
  /// little earlier.
  package var isAtEnd: Bool {
    guard let end = player.duration else { return false }
    return player.itemTime ?? .zero > end - Self.endOfFilm
  }

  private static let endOfFilm = Duration.seconds(3)
}
