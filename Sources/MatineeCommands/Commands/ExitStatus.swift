import ArgumentParser
import Foundation
import GroupActivities
import MatineeKit
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
    case PartyError.otherProtocol: refused
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

  /// Prints an error, cleaned because parts of the text may come from a relay.
  static func printError(_ text: String) {
    let text = text.split(separator: "\n").map { PartyText.clean(String($0), limit: 4000) }
      .joined(separator: "\n")
    FileHandle.standardError.write(Data("matinee: \(text)\n".utf8))
  }
}
