import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The state of this participant's player, as its adapter reported it last.
package struct PlayerFacts: Hashable, Sendable {
  /// A track of sound or subtitles.
  package struct Track: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case audio, subtitles }

    package var kind: Kind
    /// The code of the language; nil if the film doesn't state one.
    package var language: String?
    /// The subtitle file on this computer that is the track; nil for other tracks.
    package var file: String?
    package var isSelected: Bool

    package init(kind: Kind, language: String?, file: String? = nil, isSelected: Bool) {
      (self.kind, self.file, self.isSelected) = (kind, file, isSelected)
      self.language = language.flatMap { LanguageCode.checked($0) }
    }
  }

  package var itemTime: MediaTime?
  /// The duration; nil while unknown, and for streams without end.
  package var duration: MediaTime?
  package var isAtEnd = false
  /// A Boolean value that indicates whether the film can be sought: one without time stamps, or an endless stream,
  /// can't.
  package var canSeek = true
  package var isLoaded = false
  package var isSeeking = false
  /// A Boolean value that indicates whether the player waits for data.
  package var isStalled = false
  /// The part of the data that the player waits for which has arrived, in percent, 0...100; nil while it doesn't wait.
  package var loadedPercent: Int?
  /// The duration of a frame; nil if there are no frames.
  package var frameDuration: Duration?
  /// The beginnings of the chapters.
  package var chapters: [MediaTime] = []
  /// The chapters whose names say that they are an introduction, a recap or an opening.
  package var introductions: [Range<MediaTime>] = []
  /// The earliest position of a live stream that can be sought; nil if it isn't known.
  package var earliest: MediaTime?
  /// The location of the picture.
  package var picture = ScreeningEvent.VideoLocation.none
  package var isPictureInPicture = false
  /// The tracks of the film, and of other files, in the player's order.
  package var tracks: [Track] = []

  package init() {}

  /// A Boolean value that indicates whether the film on the screen is over. Another participant's film may have ended a
  /// little earlier.
  var isOver: Bool {
    guard let end = duration else { return false }
    return itemTime ?? .zero > end - Self.endOfFilm
  }

  private static let endOfFilm = Duration.seconds(3)
}

/// The state of coordinated playback, as its adapter reported it last.
package struct GroupFacts: Hashable, Sendable {
  /// The coordinator's item.
  package var item: String?
  package var status = CoordinatorSnapshot.Status.noItem
  package var rate = 1.0
  /// The position at the time of the report.
  package var itemTime: MediaTime?
  /// The group's position, even while this participant is apart from it.
  package var groupItemTime: MediaTime?
  /// This participant's reasons for being apart from the group.
  package var reasons: [CoordinatedPlaybackSuspension.Reason] = []
  /// A Boolean value that indicates whether other participants coordinate their playback with this one.
  package var hasOthers = false
  /// The other participants who have the group's film open.
  package var withFilm: Set<Participant.ID> = []
  /// The other participants who haven't confirmed a ready check.
  package var notReady: Set<Participant.ID> = []
  /// A Boolean value that indicates whether this participant's commands apply: to the group, or to this player while it
  /// is apart.
  package var mayControl = true
  /// The latest end of the film that the group knows; nil if none is known.
  package var end: MediaTime?

  package init() {}

  /// A Boolean value that indicates whether this participant is apart from the group, and not only without data.
  var isApart: Bool { reasons.contains { $0 != .stallRecovery } }

  var isPlaying: Bool { status == .playing }

  var isPlayingOrWaiting: Bool {
    switch status {
    case .playing, .waiting: true
    case .noItem, .paused: false
    }
  }
}

/// The state of the party that this participant is in, as its adapter reported it last.
package struct PartyFacts: Hashable, Sendable {
  /// The party's session of watching films.
  package enum SessionState: Hashable, Sendable {
    /// There is none, or it has ended.
    case over
    case waiting
    case joined
  }

  package var me: Participant.ID
  package var rules: PartyRules
  /// The participants who are present, in the order of their joining.
  package var participants: [Participant]
  /// The group's clock; nil while it isn't known.
  package var clock: GroupClockReading?
  package var session: SessionState
  /// A Boolean value that indicates whether this program opened the party.
  package var isHosting = false
  /// A Boolean value that indicates whether the party's own relay ends with this program.
  package var isRelay = false

  package init(
    me: Participant.ID, rules: PartyRules, participants: [Participant], clock: GroupClockReading?,
    session: SessionState
  ) {
    self.me = me
    self.rules = rules
    self.participants = participants
    self.clock = clock
    self.session = session
  }

  package var role: Participant.Role { rules.role(of: me) }
  /// A Boolean value that indicates whether the rules let this participant control playback for everyone.
  package var mayControl: Bool { rules.mayControl(me) }
}
