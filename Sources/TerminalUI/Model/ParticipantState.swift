import Screening
import Timekeeping

/// A state in which this participant isn't with the group, keeps it waiting, can't be joined, or has a choice. It is on
/// the screen for as long as it lasts.
package enum ParticipantState: Hashable, Sendable {
  /// The participant looks at another position, alone.
  case previewing(at: MediaTime, group: MediaTime?)
  /// The party is over for this participant.
  case partyClosed(TerminalText, canRejoin: Bool)
  /// The party watches a film that this participant hasn't opened.
  case needsCopy(of: TerminalText)
  /// The party's film isn't loaded from a server, to which the user hasn't agreed.
  case notLoaded(from: TerminalText)
  /// The connection is lost; `remaining` is the time until the next attempt, nil while that isn't known.
  case reconnecting(remaining: Duration?)
  /// A start waits for this participant.
  case notReady
  /// The player replays the missed part; `behind` is the distance from the group.
  case catchingUp(behind: Duration?, rate: Double)
  /// The participant watches another film than the party.
  case watchingAlone(party: TerminalText?)
  /// The player shows a trailer before the film.
  case trailer
  /// The player can't play the party's film.
  case unable
  /// The participant watches the party's film apart from it.
  case steppedAway(at: MediaTime?, group: MediaTime?)
  /// The film is over, and this participant may open the one that continues it.
  case sequel(TerminalText)
  /// The film began at its start, and can continue where the user stopped watching it.
  case mayResume(at: MediaTime, byEnter: Bool)
  /// A person has opened a party for all in this room.
  case invited(by: TerminalText)
  /// Some friends can't join this participant's party; the sentence says who can.
  case limited(TerminalText)

  /// Returns the state to show if several hold.
  ///
  /// The state that has the keys comes first, then the states in which nothing plays together whatever this participant
  /// does, then those that keep others waiting, then those that end without the participant's help.
  package static func mostImportant(of states: some Sequence<ParticipantState>) -> ParticipantState?
  {
    states.min { $0.rank < $1.rank }
  }

  private var rank: Int {
    switch self {
    case .previewing: 0
    case .partyClosed: 1
    case .needsCopy: 2
    case .notLoaded: 3
    case .reconnecting: 4
    case .notReady: 5
    case .unable: 6
    case .catchingUp: 7
    case .trailer: 8
    case .watchingAlone: 9
    case .steppedAway: 10
    case .sequel: 11
    case .mayResume: 12
    case .invited: 13
    case .limited: 14
    }
  }

  /// The state without numbers that change all the time, for parts of the screen that are rarely drawn.
  package var sentence: TerminalText {
    switch self {
    case .previewing: "Previewing another position"
    case .partyClosed(let reason, _): reason + " You keep watching alone."
    case .needsCopy(let title): "You have no copy of “" + title + "” yet."
    case .notLoaded(let server): "Not loaded from " + server + "."
    case .reconnecting: "Connection lost. Reconnecting…"
    case .notReady: "Playback waits for you."
    case .catchingUp: "Catching up"
    case .watchingAlone: "You are watching alone."
    case .trailer: "Trailer before the film"
    case .unable: "This film can't be played here. Everyone else keeps watching."
    case .steppedAway: "You watch at your own pace."
    case .sequel(let title): "Next: " + title + ". > plays it."
    case .mayResume(let position, let isEnter):
      TerminalText(
        "Watched to \(StoryWords.clock(position))."
          + (isEnter ? " Enter resumes." : " To resume: /seek \(StoryWords.clock(position))"))
    case .invited(let name): name + " has opened a party for this room."
    case .limited(let sentence): sentence
    }
  }
}
