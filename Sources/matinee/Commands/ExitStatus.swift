import ArgumentParser
import Foundation
import GroupActivities
import Relay

/// The program's exit statuses, with the numbers of `sysexits.h` for the cases that a script may want to distinguish.
enum ExitStatus {
  static let unreachable = ExitCode(69)
  static let refused = ExitCode(77)

  static func of(_ error: any Error) -> ExitCode {
    switch error {
    case let exit as ExitCode: exit
    case is InviteError: refused
    // An option with an invalid value.
    case is SyncLog.Failure: .validationFailure
    case PartyError.nobodyHere: unreachable
    case PartyError.transport(let error):
      switch error.kind {
      case .refused: refused
      case .unreachable, .untrusted, .notConnected, .closed: unreachable
      case .payloadTooLarge, .slow, .invalidSubject: .failure
      }
    case is RelayError: unreachable
    default: .failure
    }
  }

  /// Returns the error's text with a suggestion.
  static func advice(_ error: any Error) -> String {
    switch error {
    case PartyError.transport(let error) where error.kind == .unreachable:
      "\(error). Is the host online, and its port open? Check your side with: matinee doctor"
    case PartyError.transport(let error) where error.kind == .refused:
      "\(error). The relay doesn't know this party: the invite may be damaged, or the host may have "
        + "closed the party. Ask for a new invite. If the relay needs credentials, use "
        + "--relay-credentials FILE."
    default: "\(error)"
    }
  }

  /// Prints an error, cleaned because parts of the text may come from a relay.
  static func printError(_ text: String) {
    let text = text.split(separator: "\n").map { PartyText.clean(String($0), limit: 4000) }
      .joined(separator: "\n")
    FileHandle.standardError.write(Data("matinee: \(text)\n".utf8))
  }
}
