import Foundation
import GroupActivities
import MatineeKit
import PlaybackCoordination
import Screening
import Timekeeping

/// The lines for a screen reader: one sentence each, and no moving elements.
///
/// A printed line can't be replaced, so a sentence that is likely to change within seconds is held back until it has
/// settled.
struct PlainLines: Sendable {
  private static let settling = Duration.milliseconds(1500)
  /// A start often waits a moment for all participants; only a longer wait is worth a line.
  private static let patience = Duration.seconds(1)

  private var narrator = Narrator(isHeard: true)
  private var unsettled: (line: Int, sentence: String, due: HostTime)?
  private var waiting: (names: [String], due: HostTime)?
  private var reachNews: String?

  /// The time at which ``settled(at:)`` next returns a sentence; nil for never.
  var due: HostTime? { [unsettled?.due, waiting?.due].compactMap(\.self).min() }

  mutating func lines(
    for event: ScreeningEvent, _ status: ProgramStatus, at now: HostTime
  ) -> [String] {
    lines(for: event, Narrator.Context(status), me: status.me?.name, at: now)
  }

  /// - Parameter me: this participant's name; nil outside a party.
  mutating func lines(
    for event: ScreeningEvent, _ context: Narrator.Context, me: String?, at now: HostTime
  ) -> [String] {
    var lines = settled(at: now)
    for line in narrator.narrate(event, context, at: now) {
      if let unsettled, unsettled.line != line.id {
        lines.append(unsettled.sentence)
        self.unsettled = nil
      }
      if line.isUnsettled {
        unsettled = (line.id, line.narration.sentence, now + Self.settling)
      } else {
        unsettled = nil
        lines.append(line.narration.sentence)
      }
    }
    return lines + own(event, me: me, at: now)
  }

  /// Returns the sentences that have settled.
  mutating func settled(at now: HostTime) -> [String] {
    var lines: [String] = []
    if let unsettled, unsettled.due <= now {
      lines.append(unsettled.sentence)
      self.unsettled = nil
    }
    if let waiting, waiting.due <= now {
      lines.append("Waiting for \(StoryWords.list(waiting.names))")
      self.waiting = nil
    }
    return lines
  }

  /// Returns the sentences that have no line in the story.
  private mutating func own(_ event: ScreeningEvent, me: String?, at now: HostTime) -> [String] {
    switch event {
    case .hosting(let access):
      return [
        "Party open. Anyone with this link can join. Send it to your friends, who type “matinee join” and paste it:",
        access.invite,
      ]
    case .reach(let access):
      guard let news = access.news, news != reachNews else { return [] }
      reachNews = news
      return [news]
    case .readyCheck(let by): return ["\(by) asks: ready? Answer with: ready"]
    case .mayOpen(let question):
      let copy = question.copy.map { ", or: same-film \($0.path)" } ?? ""
      return [question.text + " Answer with: allow, or: deny" + copy]
    case .mayShare(let question): return [question.text + " Answer with: allow, or: deny"]
    case .reaction(let participant, let reaction):
      return ["\(participant.name) reacts: \(reaction.rawValue)"]
    case .opened(_, let title): return ["\(title) is open"]
    case .waiting(let names, _):
      // The names include this participant, which doesn't wait for itself.
      let others = names.filter { $0 != me }
      guard me != nil, !others.isEmpty else {
        waiting = nil
        return []
      }
      waiting = (others, waiting?.due ?? now + Self.patience)
      return []
    case .notice(let text): return [text]
    case .resumeOffered(let position?):
      let clock = StoryWords.clock(position)
      return ["Watched to \(clock). To resume, type: seek \(clock)"]
    case .ready, .state, .missed, .announced, .joined, .participants, .participantJoined,
      .participantLeft, .attention, .renamed, .chat, .earlierChat, .echo, .moment, .vote,
      .countdown,
      .action, .drawing,
      .drawingBegan,
      .activity, .playlist, .command, .suspension, .resuming, .resumeOffered(nil), .replayEnded,
      .rules, .latencyOffset,
      .video,
      .ended,
      .sessionEnded, .partyClosed, .left, .connected, .disconnected, .openWanted, .library,
      .listed, .met, .warning, .failed, .changed, .quitWanted, .userQuit:
      return []
    }
  }

  /// Returns all participants, one per line.
  static func roster(_ status: ProgramStatus) -> [String] {
    guard !status.participants.isEmpty else { return ["Only you"] }
    return status.participants.map { participant in
      let other = status.coordinator.otherParticipants.first { $0.id == participant.id }
      let isMe = participant.id == status.me?.id
      let reasons = isMe ? status.coordinator.suspensionReasons : other?.suspensionReasons ?? []
      var words = [participant.name]
      if isMe { words.append("you") }
      if participant.isHost { words.append("host") }
      if let reason = reasons.last { words.append(StoryWords.words(for: reason)) }
      words += status.marks(of: participant)
      return words.joined(separator: ", ")
    }
  }

  static func playlist(_ status: ProgramStatus) -> [String] {
    guard let program = status.activity else { return ["The playlist is empty"] }
    return program.playlist.entries.enumerated().map { index, entry in
      let title = PartyText.clean(entry.title, limit: 200)
      return "\(index + 1) \(title)" + (entry.id == program.current.id ? ", now" : "")
    }
  }

  /// The commands, from their table, and the questions that only people ask.
  static var help: [String] {
    var lines: [String] = []
    for section in UserCommandTable.Section.allCases {
      lines.append("\(section.rawValue):")
      for row in UserCommandTable.rows where row.section == section {
        let people = row.permission.words.map { " (\($0))" } ?? ""
        lines.append("\(row.usage): \(row.help)\(people)")
      }
    }
    return lines + [
      "Questions:", "who: the people in the party", "playlist: the films in the playlist",
      "invite: the party's invite",
    ]
  }

  /// Writes lines, cleaned of control sequences.
  ///
  /// - Returns: false if standard output is closed.
  package static func write(_ lines: [String]) -> Bool {
    for line in lines {
      guard StandardOutput.write(Array(PartyText.clean(line, limit: 4000).utf8) + [10]) else {
        return false
      }
    }
    return true
  }
}
