import Foundation
import GroupActivities
import TerminalUI

/// The invite's way to others.
extension TerminalSession {
  /// The terminal has been asked to set its clipboard; a program of the desktop's is asked, too.
  func copyInvite() async {
    guard let invite = await theater.invite else { return }
    let outcome = await Clipboard.copy(invite.text)
    inviteNotice = MessageModel(
      TerminalText(outcome.notice), severity: outcome == .copied ? .information : .warning)
  }

  func saveInvite() async {
    guard let invite = await theater.invite else { return }
    do {
      guard let folder = StateFolder.path() else {
        throw InviteFile.Failure(path: "a file", reason: "there is no home folder")
      }
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let path = "\(folder)/\(PartyName.of(invite.party)).invite"
      try InviteFile.write(invite, to: path)
      inviteNotice = MessageModel(TerminalText("Saved to \(path); only you can read it."))
    } catch {
      inviteNotice = MessageModel(TerminalText(ExitStatus.advice(error)), severity: .error)
    }
  }
}
