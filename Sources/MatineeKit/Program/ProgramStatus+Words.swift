import Foundation
import Screening

/// The state as text for the user.
extension ProgramStatus {
  /// The sentence about the other participants.
  private var company: String {
    guard invite != nil else {
      return (partyEnding.map { "\($0.sentence) " } ?? "") + "You are watching alone"
    }
    return switch participants.count {
    case ...1: "You are alone in the party"
    case 2: "You are in a party with 1 other"
    case let count: "You are in a party with \(count - 1) others"
    }
  }

  /// The state of playback in a few sentences.
  package var sentences: [String] {
    var lines: [String] = []
    let snapshot = coordinator
    if let film = film {
      let doing =
        switch snapshot.status {
        case .noItem: "loading"
        case .paused: "paused"
        case .playing: "playing"
        case .waiting: "waiting to start"
        }
      var line = "\(film.title): \(doing)"
      if let place = snapshot.itemTime { line += " at \(StoryWords.clock(place))" }
      if let duration = player.duration {
        line += " of \(StoryWords.clock(duration))"
      }
      if snapshot.rate != 1 { line += ", speed \(StoryWords.rate(snapshot.rate))" }
      lines.append(line)
    } else {
      lines.append("No film is open. Open one with: load FILE-OR-URL")
    }
    if let reason = snapshot.suspensionReasons.last {
      lines.append("You are not in sync with everyone: \(StoryWords.words(for: reason))")
    }
    lines.append(company)
    return lines
  }
}

extension Narrator.Context {
  /// Creates the context of the current state.
  package init(_ status: ProgramStatus) {
    self.init()
    me = status.me?.id
    hasFilm = status.film != nil
    today = StoryWords.day(Date())
    partyEnding = status.partyEnding
    isPlaying = status.coordinator.status == .playing
    let mine = status.coordinator.currentItemIdentifier
    let having = Set(
      status.coordinator.otherParticipants.filter { $0.currentItemIdentifier == mine }.map(\.id))
    withoutFilm = status.participants.filter { $0.id != me && !having.contains($0.id) }.map(\.name)
  }
}
