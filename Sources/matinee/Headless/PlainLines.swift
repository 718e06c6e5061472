import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// What a screen reader reads out: one sentence a line, and nothing that moves.
struct PlainLines: Sendable {
  private var narrator = Narrator()

  mutating func lines(for event: TheaterEvent, _ status: TheaterStatus) -> [String] {
    switch event {
    case .hosting(let invite, _):
      return ["the party is open; whoever has this can join:", invite.text]
    case .readyCheck(let by):
      return ["\(by) asked whether everybody is ready: answer with ready"]
    case .mayOpen(let host, _):
      return ["the party's film is at \(host); open it from there? allow, or deny"]
    case .reaction(let participant, let reaction):
      return ["\(participant.name) sends \(reaction.rawValue)"]
    case .opened(let film): return ["\(film.title) is open"]
    case .ended: return ["the film is over"]
    case .waiting(let names, _) where !names.isEmpty:
      return ["waiting for \(names.joined(separator: ", "))"]
    default: return narrator.narrate(event, status).map(\.sentence)
    }
  }

  /// Where everything is, in a sentence or two.
  static func state(_ status: TheaterStatus) -> [String] {
    var lines: [String] = []
    let snapshot = status.coordinator
    if let film = status.film {
      let doing =
        switch snapshot.status {
        case .noItem: "opening"
        case .paused: "paused"
        case .playing: "playing"
        case .waiting: "waiting to start"
        }
      var line = "\(film.title): \(doing)"
      if let place = snapshot.itemTime { line += " at \(Narrator.clock(place))" }
      if let duration = status.player.snapshot.duration {
        line += " of \(Narrator.clock(duration))"
      }
      if snapshot.rate != 1 { line += ", speed \(Narrator.rate(snapshot.rate))" }
      lines.append(line)
    } else {
      lines.append("nothing is open: load FILE-OR-URL")
    }
    if let reason = snapshot.suspensionReasons.last {
      lines.append("you are apart from the group: \(Narrator.words(for: reason))")
    }
    lines.append(
      status.invite == nil
        ? "you are watching alone" : "in a party of \(status.participants.count)")
    return lines
  }

  /// Everybody, a line each.
  static func roster(_ status: TheaterStatus) -> [String] {
    guard !status.participants.isEmpty else { return ["just you"] }
    return status.participants.map { participant in
      let other = status.coordinator.otherParticipants.first { $0.id == participant.id }
      let isMe = participant.id == status.me?.id
      let reasons = isMe ? status.coordinator.suspensionReasons : other?.suspensionReasons ?? []
      var words = [participant.name]
      if isMe { words.append("you") }
      if participant.isHost { words.append("host") }
      if let reason = reasons.last { words.append(Narrator.words(for: reason)) }
      return words.joined(separator: ", ")
    }
  }

  static func playlist(_ status: TheaterStatus) -> [String] {
    guard let program = status.activity else { return ["the playlist is empty"] }
    return program.playlist.enumerated().map { index, entry in
      let title = PartyText.clean(entry.title, limit: 200)
      return "\(index + 1) \(title)" + (entry.id == program.currentID ? ", now" : "")
    }
  }

  static let help = [
    "play, pause, seek 754.5, seek +10, rate 1.25: for everyone",
    "chat TEXT, react applause, name NAME",
    "load FILE-OR-URL, load-alone FILE-OR-URL, enqueue FILE-OR-URL, next, previous, playlist",
    "state: where the film is; who: everybody; invite",
    "what-happened: back 10 seconds, only here; suspend, resume: step away, come back",
    "host: open a party; join INVITE; leave; end; quit",
  ]

  /// Writes lines, cleaned: nothing in them is an order to a terminal.
  ///
  /// - Returns: false when nobody reads any more.
  static func write(_ lines: [String]) -> Bool {
    for line in lines {
      guard StandardOutput.write(Array(PartyText.clean(line, limit: 4000).utf8) + [10]) else {
        return false
      }
    }
    return true
  }
}
