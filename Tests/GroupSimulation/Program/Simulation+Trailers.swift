import Timekeeping

@testable import Screening

/// The trailers' player of a simulated program.
struct SimulatedTrailers {
  var isPaused = false
  /// The number of the newest trailer, or of the newest time that it was resumed. An older end isn't reported.
  var number = 0
}

extension Simulation {
  func takeTrailers(_ event: Trailers.Event, at participant: SimulatedParticipant) {
    participant.program!.lastEventAt = now
    for directive in participant.program!.trailers.handle(event) {
      perform(directive, at: participant)
    }
  }

  func perform(_ order: TrailerOrder, at participant: SimulatedParticipant) {
    switch order {
    case .stop: takeTrailers(.stopped, at: participant)
    case .playPause:
      guard var player = participant.program!.trailerPlayer else { return }
      player.isPaused.toggle()
      participant.program!.trailerPlayer = player
      play(player.isPaused ? nil : .trailerEnded, after: .seconds(2), at: participant)
    }
  }

  private func perform(_ directive: Trailers.Directive, at participant: SimulatedParticipant) {
    switch directive {
    case .separate:
      handle(.separated(.interstitial, for: .playingInterstitial), at: participant)
      takeTrailers(.separated, at: participant)
    case .openPlayer:
      participant.program!.trailerPlayer = SimulatedTrailers()
      let fails = participant.program!.trailerFailure == .player
      if fails { participant.program!.trailerPlayer = nil }
      later(
        .trailers(fails ? .failed("no memory") : .opened), after: .milliseconds(300),
        at: participant)
    case .play(let location):
      let fails =
        participant.program!.trailerFailure == .trailer && location == SimulatedProgram.trailers[1]
      play(fails ? .failed("no such file") : .trailerEnded, after: .seconds(2), at: participant)
    case .closePlayer:
      play(nil, after: 0, at: participant)
      later(.trailers(.closed), after: .milliseconds(100), at: participant)
    case .showFilm: participant.program!.trailerPlayer = nil
    case .rejoin: handle(.rejoined(.interstitial, proposing: nil), at: participant)
    case .warn: break
    }
  }

  /// Lets the trailer on the screen end, or fail; nil stops it.
  private func play(
    _ end: Trailers.Event?, after time: Nanoseconds, at participant: SimulatedParticipant
  ) {
    guard var player = participant.program!.trailerPlayer else { return }
    player.number += 1
    participant.program!.trailerPlayer = player
    if let end { later(.trailerOver(player.number, end), after: time, at: participant) }
  }

  func trailerIsOver(
    _ number: Int, _ event: Trailers.Event, at participant: SimulatedParticipant
  ) {
    guard participant.program!.trailerPlayer?.number == number else { return }
    takeTrailers(event, at: participant)
  }
}
