@testable import Screening

/// The film is lowered while a call is audible to a user who wants that, and only then.
struct DuckingChecker: Checker {
  let name = "the film gives way to calls, and comes back"

  /// The intervals in a row in which the film wasn't as it should be.
  private var wrong: [Int: Int] = [:]
  /// Reports and orders follow one another.
  private static let limit = 2

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    // Each interval ends with one of these.
    switch occurrence {
    case .program(.effect(.sync(.correct))), .program(.effect(.sync(.forget))): break
    default: return nil
    }
    let calls = participant.program!.calls
    guard calls.isLowered != (calls.isListening && calls.isAudible) else {
      wrong[participant.index] = nil
      return nil
    }
    wrong[participant.index, default: 0] += 1
    guard wrong[participant.index]! > Self.limit else { return nil }
    return calls.isLowered
      ? "\(participant.label)'s film stays lowered without a call"
      : "\(participant.label)'s film drowns a call"
  }
}

/// A remark comes back at its place, in its film.
struct EchoChecker: Checker {
  let name = "remarks come back at their places"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(.effect(.report(.echo(let echo)))) = occurrence else { return nil }
    let program = participant.program!
    let remarks = program.remarks[program.machine.filmMachine.film?.identifier ?? ""] ?? []
    let isRemembered = remarks.contains {
      ScreeningEvent.Echo($0) == echo
    }
    guard isRemembered else {
      return "\(participant.label) reads a remark about another film, or one that was never made"
    }
    let distance = program.machine.player.itemTime.map { $0.seconds - echo.position }
    guard let distance, (0...Echoes.stride.inSeconds).contains(distance) else {
      return "\(participant.label) reads a remark far from its place"
    }
    return nil
  }
}
