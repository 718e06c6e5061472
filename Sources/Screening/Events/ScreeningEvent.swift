import Concurrency
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// An event of one participant's program, for all of its faces: the terminal, mpv's window, the desktop, and scripts
/// and screen readers.
///
/// Its encoding is the line that `--headless` prints, with the event's ``Kind`` as `event`. Numbers are rounded as
/// they are printed: seconds to a microsecond, milliseconds to a microsecond, points of a picture to four digits.
///
/// ``openWanted(_:)``, ``changed``, ``quitWanted`` and ``userQuit`` are for the program itself and aren't printed
/// (``Kind/isPrinted``).
package enum ScreeningEvent: Hashable, Sendable {
  // MARK: The program
  /// The program has started.
  case ready(version: String)
  /// The answer to a command about this participant's own video, sound or library, or news of it.
  case notice(String)
  case warning(String)
  /// - Parameter command: the command that failed, if one did.
  case failed(String, command: String? = nil)
  /// The answer to the command `state`.
  case state(ScreeningState)
  /// Events that weren't delivered, because this face was too slow for them.
  case missed(Int)

  // MARK: The party
  /// A party on the local network.
  case announced(name: String, party: Participant.ID, addresses: [String])
  case hosting(Access)
  /// The addresses at which others can reach the party that this program hosts changed.
  case reach(Access)
  case joined(Person, isHost: Bool)
  /// The participants, after one of them or the rules changed.
  case participants([RosterEntry])
  /// - Parameter wasHere: true if the participant was in the party before this participant.
  case participantJoined(Person, wasHere: Bool)
  case participantLeft(Person, announced: Bool)
  case renamed(Person, from: String)
  /// A participant joined who was in this party together with this user before.
  case met(Person, Encounter)
  case chat(Person, String)
  /// The chat from before this participant came back, as another one has it.
  case earlierChat([EarlierLine], from: Person)
  case reaction(Person, Reaction)
  /// A participant asks the party, or the party has answered.
  case vote(Vote)
  /// A remark of an earlier evening at the place to which the film has come.
  case echo(Echo)
  /// Another person marked a moment that was marked already.
  case moment(Moment)
  /// An action that another participant's program announced.
  case action(Action, by: Person)
  case rules(RulesChange)
  case readyCheck(by: String)
  /// All are ready: the film starts in this number of seconds.
  case countdown(Int)
  /// The party's session needs this user first: there is a question to answer. The event about it precedes this one.
  case attention
  case connected(String)
  case disconnected(String)
  case sessionEnded(by: String)
  /// The host closed the party for everyone. ``left(closing:)`` follows.
  case partyClosed(by: String)
  /// This participant left the party. `closing`: the party ended for the others too.
  case left(closing: Bool)

  // MARK: Films
  /// A film is open and can be played.
  case opened(item: String, title: String)
  /// A participant chose a film for everyone.
  case activity(Film, by: String, FilmCause)
  /// The playlist, after it or the current entry changed.
  case playlist([ListedFilm])
  case command(CoordinatedChange, by: String)
  /// - Parameter seconds: the longest time that the wait still takes; 0 if it is over, or if it has no limit.
  case waiting(for: [String], seconds: Double)
  case suspension([String])
  /// The film that this user chose continues at the position where this user stopped watching it.
  case resuming(at: MediaTime)
  /// The film began at its start, and the user may continue it at the position where this user stopped watching it; nil
  /// once that offer is over.
  case resumeOffered(at: MediaTime?)
  /// The replay that this user asked for is over.
  case replayEnded(ReplayEnd)
  /// The film ended. `continues`: the playlist's next film follows.
  case ended(continues: Bool)
  /// The user has to decide whether a film is opened from this host.
  case mayOpen(FilmQuestion)
  /// The user has to decide whether to take a film from another participant, or to share one.
  case mayShare(ShareQuestion)

  // MARK: The picture and the sound
  /// The drawing over the picture, after it changed, or after this participant began or stopped drawing.
  case drawing(Sketch)
  /// - Parameter again: true if it replaces an earlier drawing.
  case drawingBegan(by: String, again: Bool)
  case latencyOffset(Duration, device: String?)
  /// The picture is shown elsewhere. `isClosed`: because its window was closed.
  case video(VideoLocation, isClosed: Bool)

  // MARK: The library
  /// The progress of the scan of the media folders.
  case library(Scan)
  /// The list of remembered items that a script requested.
  case listed(Listing)

  // MARK: For the program itself
  /// Another program asks to open this location, on the user's behalf.
  case openWanted(String)
  /// A change that only a fresh status shows.
  case changed
  /// The user wants to quit, in mpv's window.
  case quitWanted
  /// The player quit without a command from this program.
  case userQuit
}

extension ScreeningEvent {
  /// The event for the participants that a start waits for.
  package static func waiting(for names: [String], until: HostTime?, now: HostTime) -> Self {
    .waiting(for: names, seconds: until.map { max(0, ($0 - now).inSeconds.rounded(to: 3)) } ?? 0)
  }

  /// The location of the picture, as `--video` spells it.
  package enum VideoLocation: String, Hashable, Sendable, CaseIterable, Encodable {
    case window, terminal, none
  }
}

extension ScreeningEvent: BroadcastEvent {
  package var replacesEarlier: Bool { kind.replacesEarlier }
}
