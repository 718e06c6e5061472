import FileNames
import GroupActivities
import MatineeKit
import PlaybackCoordination
import TerminalUI
import Timekeeping

/// The conversion of the program's status to the state that the screen keeps showing.
extension ParticipantState {
  /// - Parameter canRejoin: a Boolean value that indicates whether there is a party to rejoin.
  init?(_ status: ProgramStatus, canRejoin: Bool = false) {
    guard let state = Self.mostImportant(of: Self.all(status, canRejoin: canRejoin)) else {
      return nil
    }
    self = state
  }

  /// Returns all current states, in no particular order.
  static func all(_ status: ProgramStatus, canRejoin: Bool = false) -> [ParticipantState] {
    var states: [ParticipantState] = []
    if status.isInTrailer { states.append(.trailer) }
    if let title = status.sequel {
      states.append(.sequel(TerminalText(PartyText.clean(FileName.film(title), limit: 100))))
    }
    if let position = status.offeredPosition {
      states.append(.mayResume(at: position, byEnter: status.resumesByEnter))
    }
    guard status.invite != nil else {
      if let ending = status.partyEnding {
        states.append(
          .partyClosed(
            TerminalText(ending.sentence), canRejoin: canRejoin && ending.allowsRejoining))
      }
      return states
    }
    if let host = status.roomHost { states.append(.invited(by: TerminalText(host))) }
    if !status.link.isUp {
      states.append(.reconnecting(remaining: status.link.nextAttempt.map { $0 - .now() }))
    }
    let coordinator = status.coordinator
    let party = status.activity
    let partyTitle = party.map { TerminalText(PartyText.clean($0.title, limit: 100)) }
    if status.isAlone {
      states.append(.watchingAlone(party: partyTitle))
    } else if let party, let partyTitle, !status.isOpening,
      status.film?.identifier != party.identifier
    {
      states.append(
        status.undecidedServer.map {
          .notLoaded(from: TerminalText(PartyText.clean($0, limit: 100)))
        } ?? .needsCopy(of: partyTitle))
    }
    for reason in coordinator.suspensionReasons {
      switch reason {
      case .readyCheck: states.append(.notReady)
      case .coordinatedPlaybackNotPossible: states.append(.unable)
      // Shown above.
      case .watchingAlone: break
      case .init(rawValue: "whatHappened"):
        let behind = coordinator.groupItemTime.flatMap { group in
          coordinator.itemTime.map { group - $0 }
        }
        states.append(.catchingUp(behind: behind, rate: coordinator.rate))
      case .userIsChangingCurrentTime:
        states.append(
          .previewing(at: coordinator.itemTime ?? .zero, group: coordinator.groupItemTime))
      case .init(rawValue: "steppedAway"), .userActionRequired, .audioSessionInterrupted:
        states.append(
          .steppedAway(
            at: coordinator.itemTime.map(status.withinFilm),
            group: coordinator.groupItemTime.map(status.withinFilm)))
      // The screen shows loading and trailers elsewhere.
      default: break
      }
    }
    return states
  }
}
