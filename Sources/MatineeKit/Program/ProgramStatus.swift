import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The state of the program at one moment, for display.
package struct ProgramStatus: Sendable {
  package var film: FilmIdentity?
  package var activity: FilmActivity?
  package var isOpening = false
  /// A Boolean value that indicates whether the film plays after it has opened.
  package var playsWhenOpen = false
  package var isLive = false
  /// A Boolean value that indicates whether a trailer is shown before the film.
  package var isInTrailer = false
  /// The title of the film that continues the one that ended, which `next` opens; nil for none.
  package var sequel: String?
  /// The position at which the user may continue the film; nil without that offer.
  package var offeredPosition: MediaTime?
  package var resumesByEnter = true
  /// A Boolean value that indicates whether the party is a private one, for a room elsewhere.
  package var isInRoom = false
  /// The name of the person who has opened a party for the room elsewhere; nil for none.
  package var roomHost: String?
  /// The server from which the film isn't loaded, because the user hasn't answered yet, or said no; nil for none.
  package var undecidedServer: String?
  /// A Boolean value that indicates whether this player watches something else than its party.
  package var isAlone = false
  package var player: PlayerSnapshot
  /// The player whose picture is shown: a trailer's while there is one.
  package var shownPlayer: PlayerSnapshot
  package var coordinator: CoordinatorSnapshot
  package var clock: GroupClockReading?
  var groupTime: GroupTime?
  /// The distance of this player from the group; nil while there is nothing to measure.
  package var sync: SyncMeasurement?
  package var latencyOffset: LatencyOffset
  package var ducking = Ducking()
  package var invite: Invite?
  /// The addresses at which others can reach the party that this program hosts; nil for a guest.
  package var reach: Reach?
  package var me: Participant?
  package var participants: [Participant] = []
  package var link = Link()
  /// The ending of the last party, if this participant didn't leave it; nil in a party, and after another film was
  /// opened or the user dismissed it.
  package var partyEnding: PartyEnding?
  /// The number of participants who lose the party if this participant leaves it, because this program is their relay
  /// or the party ends with its host.
  package var othersLosingParty = 0
  var rejected = 0
  /// The state of a film that a participant shares; nil for other films.
  package var shared: SharedFilmState?

  /// Returns the part of the shared film that a participant has, in percent; nil for one that plays a copy of its own, and
  /// before it has anything.
  func arrivedPercent(of id: Participant.ID) -> Int? {
    if id == me?.id { return shared?.percent }
    guard let shared, id != shared.owner else { return nil }
    return shared.holdings[id].flatMap { $0 > 0 ? Int($0 * 100) : nil }
  }

  /// The bits of film per second that this program sends to each guest of its door.
  var uploadRates: [Participant.ID: Double] = [:]
  /// The drawing over the picture; nil without a drawing.
  package var drawing: DrawingStatus?
  package var rights = Rights()

  /// This participant's rights in its party.
  package struct Rights: Hashable, Sendable {
    /// A Boolean value that indicates whether this participant's commands apply to everyone.
    package var mayControl = true
    /// A Boolean value that indicates whether this participant may choose the film for everyone.
    package var mayChoose = true
  }

  /// The link to the relay.
  package struct Link: Hashable, Sendable {
    /// A Boolean value that indicates whether it is up.
    package var isUp = false
    /// The time of the next attempt to reconnect; nil while it isn't known.
    package var nextAttempt: HostTime?
    /// The connection to the room elsewhere whose people are the others; nil without one.
    package var room: Room?

    package enum Room: Hashable, Sendable { case clear, encrypted }
  }

  package func name(of id: Participant.ID) -> String { presentName(of: id) ?? "a participant" }

  /// Returns the name of a participant who is present; nil for another.
  package func presentName(of id: Participant.ID) -> String? {
    participants.first { $0.id == id }?.name
  }

  /// Returns the marks of a participant in lists of the party: how its user came, and what copy the player has.
  package func marks(of participant: Participant) -> [String] {
    [
      participant.door.map { $0.words(name: presentName) },
      uploadMbps(to: participant.id).flatMap { $0 > 0 ? "↑ \($0) Mbit/s" : nil },
      participant.id == me?.id && film?.isOtherCopy == true
        ? "own copy, \(StoryWords.place(of: film?.timeline))"
        : hasOtherCopy(participant.id) ? "another copy" : nil,
      arrivedPercent(of: participant.id).flatMap { $0 < 100 ? "has \($0) % of the film" : nil },
    ].compactMap { $0 }
  }

  /// Returns the Mbit/s of film that this program sends to a guest of its door, with one decimal; nil for other
  /// participants.
  func uploadMbps(to id: Participant.ID) -> Double? {
    uploadRates[id].map { ($0 / 1e5).rounded() / 10 }
  }

  /// Returns whether a participant watches another copy of its film, by time.
  package func hasOtherCopy(_ id: Participant.ID) -> Bool {
    if id == me?.id { return film?.isOtherCopy ?? false }
    return coordinator.otherParticipants.first { $0.id == id }?.hasOtherCopy ?? false
  }

  /// Returns a time, or the film's end if the time is beyond it: there the film waits, while the time of a participant
  /// that doesn't coordinate goes on.
  package func withinFilm(_ time: MediaTime) -> MediaTime {
    player.duration.map { min(time, $0) } ?? time
  }

  /// The position in the film as it is shown; zero without one.
  package var shownPosition: MediaTime { withinFilm(coordinator.itemTime ?? .zero) }
}
