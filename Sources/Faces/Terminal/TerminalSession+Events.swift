import Foundation
import GroupActivities
import MatineeKit
import Screening
import TerminalUI
import Timekeeping

/// The reactions to events.
extension TerminalSession {
  func show(_ event: ScreeningEvent, _ status: ProgramStatus) async {
    switch event {
    case .hosting:
      note(.note(TerminalText(keyBindings.naming(keysIn: "Party open. Press I for the invite."))))
    case .reach:
      do {
        try await plan.writeInvite(of: program)
      } catch {
        show("\(error)", .error)
      }
    case .readyCheck(let by):
      note(.did("asks: ready?", by: TerminalText(by)))
    case .notice(let text): show(text, .information)
    case .mayOpen(let question): if intent == nil { show(question) }
    case .mayShare(let question): if intent == nil { show(question) }
    case .attention:
      if let text = question?.text ?? message?.model.text { await screen.alert(text) }
    case .reaction(let participant, let reaction):
      reactions.append(
        ReactionEntry(
          id: (reactions.last?.id ?? 0) + 1, reaction.sign, by: TerminalText(participant.name)))
      if reactions.count > Self.reactionLimit { reactions.removeFirst() }
    case .drawingBegan(_, again: false): show("Press D to draw too", .information)
    case .resuming(let place):
      return show("Resuming at \(StoryWords.clock(place)) (g 0 to start over)", .information)
    case .openWanted(let location): await choose(location)
    case .listed(let listing):
      switch listing {
      case .page, .syncplay:
        inviteNotice = MessageModel(TerminalText(listing.sentences.joined(separator: " ")))
      case .folders, .found, .parties, .people, .hosts, .moments: break
      }
    case .opened, .joined, .left: await index?.refresh()
    // The rows aren't refreshed for each participant of a crowd.
    case .participantJoined where status.participants.count < 10: await index?.refresh()
    case .library(let progress):
      library.remembered.scan = progress
      if progress.phase == .idle { await index?.refresh() }
    case .partyClosed(let by):
      // Outside a party the screen may have no room for the chat, which reports it too.
      show("\(by) closed the party. Press A to rejoin once it is open again.", .warning)
    case .userQuit: quits = true
    case .quitWanted:
      do {
        try await leave(for: .quit)
      } catch {
        show("\(error)", .error)
      }
    default: break
    }
    for line in narrator.narrate(event, Narrator.Context(status), at: .now()) { show(line) }
    guard case .countdown(let seconds) = event else { return }
    message?.model.countdown = seconds
    message?.until = .now() + .seconds(1)
  }

  private func show(_ line: StoryLine) {
    switch line.narration {
    case .said(let text, let author, let isOwn):
      note(.said(TerminalText(text), by: TerminalText(author), isOwn: isOwn), line: line.id)
    case .recalled(let text, let author, let ago):
      // As one's own message, it isn't new.
      note(
        .said(TerminalText(text), by: TerminalText(author), isOwn: true), line: line.id,
        at: Date() - ago.inSeconds)
    case .did(let what, let author):
      note(.did(TerminalText(what), by: TerminalText(author)), line: line.id)
    case .note(let text): note(.note(TerminalText(text)), line: line.id)
    case .told(let text, .information): show(text, .information)
    case .told(let text, .warning): show(text, .warning)
    case .told(let text, .error): show(text, .error)
    }
  }

  /// Reports the problems of the user's settings: as a notice, which passes; as a line of the chat, which stays; and as
  /// a list in the help.
  func warn(ofSettings summary: SettingsSummary, helpKey: String) {
    guard let notice = summary.notice(key: helpKey) else { return }
    settingsProblems = summary.problems.map { TerminalText($0) }
    note(.note(TerminalText(notice)))
    show(TerminalText(notice), .warning)
  }

  /// - Parameter line: the story line of this entry. An entry about the same line is replaced.
  func note(_ content: ChatEntry.Content, line: Int? = nil, at date: Date = Date()) {
    if let line, let known = storyEntries.last(where: { $0.line == line }),
      let index = chat.lastIndex(where: { $0.id == known.entry })
    {
      chat[index].content = content
      return
    }
    let now = Calendar.current.dateComponents([.hour, .minute], from: date)
    chat.append(
      ChatEntry(
        id: (chat.last?.id ?? 0) + 1, hour: now.hour ?? 0, minute: now.minute ?? 0, content))
    if chat.count > Self.chatLimit { chat.removeFirst() }
    if let line {
      storyEntries = storyEntries.suffix(Self.storyLimit - 1) + [(line, chat[chat.count - 1].id)]
    }
  }

  /// Shows a message that names the standard keys.
  func show(_ text: String, _ severity: MessageModel.Severity) {
    let text = keyBindings.naming(keysIn: text)
    if !text.isEmpty { show(TerminalText(text), severity) }
  }

  /// Shows a message that names the user's keys, if any.
  func show(_ text: TerminalText, _ severity: MessageModel.Severity) {
    message = (MessageModel(text, severity: severity), .now() + Self.messageLife)
  }
}
