import ArgumentParser
import Foundation
import GroupActivities
import Relay

/// How the program ends: `sysexits.h`'s numbers for what a script may want to tell apart.
enum ExitStatus {
  static let unreachable = ExitCode(69)
  static let refused = ExitCode(77)

  static func of(_ error: any Error) -> ExitCode {
    switch error {
    case let exit as ExitCode: exit
    case is InviteError: refused
    // An option that can't be what it is meant to be.
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

  /// The error with a suggestion.
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

  /// Parts of the text may come from a relay.
  static func printError(_ text: String) {
    let text = text.split(separator: "\n").map { PartyText.clean(String($0), limit: 4000) }
      .joined(separator: "\n")
    FileHandle.standardError.write(Data("matinee: \(text)\n".utf8))
  }
}
