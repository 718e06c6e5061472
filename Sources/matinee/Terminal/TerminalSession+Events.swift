import Foundation
import GroupActivities
import TerminalUI
import Timekeeping

/// What happened.
extension TerminalSession {
  func show(_ event: TheaterEvent, _ status: TheaterStatus) async {
    switch event {
    case .hosting: note(.note("the party is open: I shows the invite"))
    case .reach:
      do {
        try await plan.writeInvite(of: theater)
      } catch {
        tell("\(error)", .error)
      }
    case .readyCheck(let by):
      note(.did("asked whether everybody is ready", by: TerminalText(by)))
      let isWaitedFor = await theater.party?.rules.waiting != .nobody
      tell(
        "ready? Press R when you are" + (isWaitedFor ? ": the start waits for you" : ""),
        .information)
    case .mayOpen(let host, let location):
      if chosen == nil { show(host: host, location: location) }
    case .reaction(let participant, let reaction):
      reactions.append(
        ReactionEntry(
          id: (reactions.last?.id ?? 0) + 1, reaction.sign, by: TerminalText(participant.name)))
      if reactions.count > Self.reactionLimit { reactions.removeFirst() }
    case .drawingBegan(_, again: false): tell("D: draw on the picture too", .information)
    case .openWanted(let location): await choose(location)
    case .opened, .joined, .left: await index?.refresh()
    // A crowd comes in quickly.
    case .participantJoined where status.participants.count < 10: await index?.refresh()
    case .library(let progress):
      library.remembered.scan = progress
      if progress.phase == .idle { await index?.refresh() }
    case .userQuit: quits = true
    default: break
    }
    for narration in narrator.narrate(event, status) { show(narration) }
  }

  private func show(_ narration: Narration) {
    switch narration {
    case .said(let text, let author, let isOwn):
      note(.said(TerminalText(text), by: TerminalText(author), isOwn: isOwn))
    case .did(let what, let author): note(.did(TerminalText(what), by: TerminalText(author)))
    case .note(let text): note(.note(TerminalText(text)))
    case .told(let text, .information): tell(text, .information)
    case .told(let text, .warning): tell(text, .warning)
    case .told(let text, .error): tell(text, .error)
    }
  }

  /// What stays: a message would be gone before it is read.
  func warn(_ text: String) {
    note(.note(TerminalText(text)))
    tell(text, .warning)
  }

  func note(_ content: ChatEntry.Content) {
    let now = Calendar.current.dateComponents([.hour, .minute], from: Date())
    chat.append(
      ChatEntry(
        id: (chat.last?.id ?? 0) + 1, hour: now.hour ?? 0, minute: now.minute ?? 0, content))
    if chat.count > Self.chatLimit { chat.removeFirst() }
  }

  func tell(_ text: String, _ severity: MessageModel.Severity) {
    message = (MessageModel(TerminalText(text), severity: severity), .now() + Self.messageLife)
  }
}
