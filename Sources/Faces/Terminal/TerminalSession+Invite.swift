import Foundation
import GroupActivities
import MatineeKit
import Screening
import TerminalUI

/// The ways to pass on the invite.
extension TerminalSession {
  /// Copies the invite with a clipboard program, after the terminal was asked to set its clipboard.
  func copyInvite() async {
    guard let invite = await program.invite else { return }
    copyOutcome = await Clipboard.copy(invite.text)
    showCopyOutcome()
  }

  /// Handles the terminal's answer about the last copied invite.
  func clipboardAnswered(_ answer: ClipboardAnswer) {
    let isInTmux = !(ProcessInfo.processInfo.environment["TMUX"] ?? "").isEmpty
    let outcome = Clipboard.Outcome(answer, isInTmux: isInTmux)
    guard outcome > copyOutcome else { return }
    copyOutcome = outcome
    showCopyOutcome()
  }

  private func showCopyOutcome() {
    inviteNotice = MessageModel(TerminalText(copyOutcome.notice), severity: copyOutcome.severity)
  }

  /// Writes a page for one friend, beside those for others.
  func savePage() async {
    guard let invite = await program.invite else { return }
    let files = FileManager.default
    let start = files.currentDirectoryPath
    let folder = files.isWritableFile(atPath: start) ? start : NSHomeDirectory()
    let name = "\(folder)/\(PartyName.of(invite.party))"
    let path = (2...99).lazy.map { "\(name)-\($0).html" }
    let free = ([name + ".html"] + path).first { !files.fileExists(atPath: $0) }
    do {
      _ = try await program.perform(.page(free ?? name + ".html"))
    } catch {
      inviteNotice = MessageModel(TerminalText(ErrorAdvice.text(of: error)), severity: .error)
    }
  }

  func saveInvite() async {
    guard let invite = await program.invite else { return }
    do {
      guard let folder = StateFolder.path() else {
        throw InviteFile.Failure(path: "a file", reason: "there is no home folder")
      }
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let path = "\(folder)/\(PartyName.of(invite.party)).invite"
      try InviteFile.write(invite, to: path)
      inviteNotice = MessageModel(TerminalText("Saved to \(path). Only you can read it."))
    } catch {
      inviteNotice = MessageModel(TerminalText(ErrorAdvice.text(of: error)), severity: .error)
    }
  }
}
