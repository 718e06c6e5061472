import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Timekeeping

/// What happens in the theater, for whoever shows it: the terminal, or a script.
enum TheaterEvent: Sendable {
  case hosting(Invite, Reach)
  /// Others can reach the party that this program hosts in another way than before.
  case reach(Invite, Reach)
  case joined(Participant)
  /// - Parameter wasHere: whether it was in the party before this participant.
  case participantJoined(Participant, wasHere: Bool)
  case participantLeft(Participant, announced: Bool)
  case renamed(Participant, from: String)
  case chat(Participant, String)
  case reaction(Participant, Reaction)
  /// What is drawn over the picture changed, or whether this participant draws.
  case drawing
  /// - Parameter again: in place of the one that there was.
  case drawingBegan(by: String, again: Bool)
  /// A film is there and can be played.
  case opened(FilmIdentity)
  /// Somebody chose a film for everyone.
  case activity(FilmActivity, by: String, ActivityCause)
  /// The playlist, or the place in it, changed.
  case playlist
  case command(CoordinatedChange, by: String)
  case waiting(for: [String], until: HostTime?)
  case suspension([String])
  case rules(PartyRules, from: PartyRules, by: String)
  case readyCheck(by: String)
  case latencyOffset(LatencyOffset, device: String?)
  /// The picture goes somewhere else. `isClosed`: because its window was closed.
  case video(MPVConfiguration.VideoMode, isClosed: Bool)
  /// The film came to its end. `continues`: the playlist's next film follows.
  case ended(continues: Bool)
  case sessionEnded(by: String)
  /// The party is over for everybody: its host closed it. ``left`` follows.
  case partyClosed(by: String)
  /// This participant left the party. `closing`: and it ended for the others too.
  case left(closing: Bool)
  case connected(String)
  case disconnected(String)
  /// The user has to decide whether a film is opened from this host.
  case mayOpen(AddressQuestion)
  /// Another program wants this to be opened, on the person's behalf.
  case openWanted(String)
  /// How far the scan of the media folders is.
  case library(ScanProgress)
  /// What a script asked for of what is remembered.
  case listed(Listing)
  /// Somebody is here who was in this party with us before.
  case met(Participant, before: MetPerson)
  case warning(String)
  case failed(String)
  /// Something changed that only a fresh ``TheaterStatus`` shows.
  case changed
  /// The person wants to quit, in mpv's window.
  case quitWanted
  /// The player ended by itself.
  case userQuit
}

extension TheaterEvent {
  /// Why the party watches another film.
  enum ActivityCause: String, Hashable, Sendable {
    /// A participant chose it.
    case chosen
    /// The film before it in the playlist came to its end.
    case following
    /// It was on when this participant came.
    case current
    /// This participant opened the party with it.
    case own
  }
}

/// Everything that can be shown, at one moment.
struct TheaterStatus: Sendable {
  var film: FilmIdentity?
  var activity: FilmActivity?
  var isOpening = false
  /// It plays as soon as it is open.
  var playsWhenOpen = false
  var isLive = false
  /// A trailer is shown before the film.
  var isInTrailer = false
  /// This player watches something else than its party.
  var isAlone = false
  var player: PlayerView
  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: PlayerView
  var coordinator: CoordinatorSnapshot
  var clock: GroupClockReading?
  var groupTime: GroupTime?
  /// How far this player is from the group; nil while there is nothing to measure.
  var sync: SyncMeasurement?
  var latencyOffset: LatencyOffset
  var invite: Invite?
  /// Where the party that this program hosts can be reached; nil for a guest.
  var reach: Reach?
  var me: Participant?
  var participants: [Participant] = []
  var isConnected = false
  /// How the last party ended, if this participant didn't leave it; nil in a party, and once another film is opened or
  /// the person has dismissed it.
  var partyEnding: PartyEnding?
  /// How many others lose the party if this participant leaves it: its program is their relay.
  var othersLosingParty = 0
  /// When the lost connection is tried again; nil while that isn't known.
  var nextAttempt: HostTime?
  var rejected = 0
  /// What is drawn over the picture; nil without a drawing.
  var drawing: DrawingStatus?
  /// Whether this participant's commands move everybody.
  var mayControl = true
  /// Whether it may choose what everybody watches.
  var mayChoose = true

  func name(of id: Participant.ID) -> String {
    participants.first { $0.id == id }?.name ?? "somebody"
  }
}
