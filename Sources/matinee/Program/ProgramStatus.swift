import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The state of the program at one moment, for display.
struct ProgramStatus: Sendable {
  var film: FilmIdentity?
  var activity: FilmActivity?
  var isOpening = false
  /// A Boolean value that indicates whether the film plays after it has opened.
  var playsWhenOpen = false
  var isLive = false
  /// A Boolean value that indicates whether a trailer is shown before the film.
  var isInTrailer = false
  /// A Boolean value that indicates whether this player watches something else than its party.
  var isAlone = false
  var player: PlayerSnapshot
  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: PlayerSnapshot
  var coordinator: CoordinatorSnapshot
  var clock: GroupClockReading?
  var groupTime: GroupTime?
  /// The distance of this player from the group; nil while there is nothing to measure.
  var sync: SyncMeasurement?
  var latencyOffset: LatencyOffset
  var invite: Invite?
  /// The addresses at which others can reach the party that this program hosts; nil for a guest.
  var reach: Reach?
  var me: Participant?
  var participants: [Participant] = []
  var link = Link()
  /// The ending of the last party, if this participant didn't leave it; nil in a party, and after another film was
  /// opened or the user dismissed it.
  var partyEnding: PartyEnding?
  /// The number of participants who lose the party if this participant leaves it, because this program is their relay
  /// or the party ends with its host.
  var othersLosingParty = 0
  var rejected = 0
  /// The drawing over the picture; nil without a drawing.
  var drawing: DrawingStatus?
  var rights = Rights()

  /// This participant's rights in its party.
  struct Rights: Hashable, Sendable {
    /// A Boolean value that indicates whether this participant's commands apply to everyone.
    var mayControl = true
    /// A Boolean value that indicates whether this participant may choose the film for everyone.
    var mayChoose = true
  }

  /// The link to the relay.
  struct Link: Hashable, Sendable {
    /// A Boolean value that indicates whether it is up.
    var isUp = false
    /// The time of the next attempt to reconnect; nil while it isn't known.
    var nextAttempt: HostTime?
  }

  func name(of id: Participant.ID) -> String {
    participants.first { $0.id == id }?.name ?? "somebody"
  }

  /// Returns a time, or the film's end if the time is beyond it: there the film waits, while the time of a participant
  /// that doesn't coordinate goes on.
  func withinFilm(_ time: MediaTime) -> MediaTime {
    player.duration.map { min(time, $0) } ?? time
  }
}
