import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening
import Timekeeping

/// An event in the theater, for its user interface: the terminal, or a script.
enum TheaterEvent: Sendable {
  case hosting(Invite, Reach)
  /// The addresses at which others can reach the party that this program hosts changed.
  case reach(Invite, Reach)
  case joined(Participant)
  /// - Parameter wasHere: true if the participant was in the party before this participant.
  case participantJoined(Participant, wasHere: Bool)
  case participantLeft(Participant, announced: Bool)
  case renamed(Participant, from: String)
  case chat(Participant, String)
  case reaction(Participant, Reaction)
  /// The drawing over the picture changed, or this participant began or stopped drawing.
  case drawing
  /// - Parameter again: true if it replaces an earlier drawing.
  case drawingBegan(by: String, again: Bool)
  /// A film is open and can be played.
  case opened(FilmIdentity)
  /// A participant chose a film for everyone.
  case activity(FilmActivity, by: String, ActivityCause)
  /// The playlist or the current entry changed.
  case playlist
  case command(CoordinatedChange, by: String)
  case waiting(for: [String], until: HostTime?)
  case suspension([String])
  /// The replay that this user asked for is over.
  case replayEnded(ReplayEnd)
  case rules(PartyRules, from: PartyRules, by: String)
  case readyCheck(by: String)
  case latencyOffset(LatencyOffset, device: String?)
  /// The picture is shown elsewhere. `isClosed`: because its window was closed.
  case video(MPVConfiguration.VideoMode, isClosed: Bool)
  /// The film ended. `continues`: the playlist's next film follows.
  case ended(continues: Bool)
  case sessionEnded(by: String)
  /// The host closed the party for everyone. ``left`` follows.
  case partyClosed(by: String)
  /// This participant left the party. `closing`: the party ended for the others too.
  case left(closing: Bool)
  case connected(String)
  case disconnected(String)
  /// The user has to decide whether a film is opened from this host.
  case mayOpen(AddressQuestion)
  /// Another program asks to open this location, on the user's behalf.
  case openWanted(String)
  /// The progress of the scan of the media folders.
  case library(ScanProgress)
  /// The list of remembered items that a script requested.
  case listed(Listing)
  /// A participant joined who was in this party together with this user before.
  case met(Participant, before: MetPerson)
  case warning(String)
  case failed(String)
  /// A change that only a fresh ``TheaterStatus`` shows.
  case changed
  /// The user wants to quit, in mpv's window.
  case quitWanted
  /// The player quit without a command from this program.
  case userQuit
}

extension TheaterEvent {
  /// The reason why the party watches another film.
  enum ActivityCause: String, Hashable, Sendable {
    /// A participant chose it.
    case chosen
    /// The previous film in the playlist ended.
    case following
    /// The party was already watching it when this participant joined.
    case current
    /// This participant opened the party with it.
    case own
  }
}

/// The state of the theater at one moment, for display.
struct TheaterStatus: Sendable {
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
  var player: PlayerView
  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: PlayerView
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
  var isConnected = false
  /// The ending of the last party, if this participant didn't leave it; nil in a party, and after another film was
  /// opened or the user dismissed it.
  var partyEnding: PartyEnding?
  /// The number of participants who lose the party if this participant leaves it, because this program is their relay
  /// or the party ends with its host.
  var othersLosingParty = 0
  /// The time of the next attempt to reconnect; nil while it isn't known.
  var nextAttempt: HostTime?
  var rejected = 0
  /// The drawing over the picture; nil without a drawing.
  var drawing: DrawingStatus?
  /// A Boolean value that indicates whether this participant's commands apply to everyone.
  var mayControl = true
  /// A Boolean value that indicates whether this participant may choose the film for everyone.
  var mayChoose = true

  func name(of id: Participant.ID) -> String {
    participants.first { $0.id == id }?.name ?? "somebody"
  }
}
