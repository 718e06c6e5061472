import CMPV
import FileNames

/// A failed operation of the player and its reason, with a description for people.
package struct MPVError: Error, Hashable, Sendable {
  /// The reason, for a program to decide on; ``description`` is for users.
  package let reason: Reason
  /// The attempted operation: a libmpv function and its argument, or the location being loaded.
  package let operation: String
  /// The `mpv_error` (`mpv/client.h`), below zero; zero if no libmpv call failed.
  package let code: CInt

  /// The reason for which an operation failed.
  package enum Reason: Hashable, Sendable {
    /// libmpv could not be started.
    case unavailable
    /// There is no mpv option of this name.
    case unknownOption(name: String)
    /// The option exists, but not with this value.
    case badOptionValue(name: String, value: String)
    /// There is no such file.
    case missingFile
    /// The file exists, but this user may not read it.
    case permissionDenied
    /// The server can't be reached (unknown host, refused, timed out); the text is from the log.
    case unreachable(String)
    /// The server answered, but not with the film; the value is its status, for example 404.
    case refusedByServer(status: Int)
    /// The data is in no format that mpv knows, or it is damaged.
    case unsupportedFormat
    /// The file has the name of a film, but is something else, which would open other files or addresses.
    case notAFilm(FileContent)
    /// A playlist on this machine names this file or address, which isn't in its folder.
    case leadsOutside(String)
    /// The file was opened, but holds neither sound nor picture that can be played.
    case nothingToPlay
    /// A location that a player inside a terminal must not open, for example standard input.
    case forbiddenLocation
    /// Some other failure to load; the text is the last error in mpv's log, if it wrote one.
    case loadingFailed(String)
    /// A newer request replaced this one, or its task was cancelled.
    case superseded
    /// The player has been shut down, by the program or by the user.
    case shutDown
    /// A call failed with ``MPVError/code``.
    case call
  }

  init(_ reason: Reason, _ operation: String, code: CInt = 0) {
    self.reason = reason
    self.operation = operation
    self.code = code
  }

  static func check(_ status: CInt, _ operation: String) throws(MPVError) {
    guard status >= 0 else { throw MPVError(.call, operation, code: status) }
  }
}

extension MPVError: CustomStringConvertible {
  package var description: String {
    let operation = FileName.shown(operation)
    return switch reason {
    case .unavailable: "libmpv can't be started (\(operation)\(codeText))"
    case .unknownOption(let name): "mpv has no option named “\(name)”."
    case .badOptionValue(let name, let value):
      "mpv's option “\(name)” doesn't accept the value “\(value)”\(codeText)"
    case .missingFile: "\(operation): no such file"
    case .permissionDenied: "\(operation): no permission to read it"
    case .unreachable(let detail): "\(operation): can't be reached\(suffix(detail))"
    case .refusedByServer(let status): "\(operation): the server answered \(status)"
    case .unsupportedFormat: "\(operation) is damaged, or its format is unknown"
    case .notAFilm(let content): "\(operation) isn't a film, but \(content)"
    case .leadsOutside(let name):
      "\(operation) isn't opened: it names \(name.prefix(200)), which is "
        + (name.contains("://") ? "on the network" : "outside of its folder")
    case .nothingToPlay: "\(operation) contains neither audio nor video"
    case .forbiddenLocation: "\(operation): can't be played from inside a terminal program"
    case .loadingFailed(let detail): "\(operation): can't be loaded\(suffix(detail))\(codeText)"
    case .superseded: "\(operation): replaced by a newer request"
    case .shutDown: "\(operation): the player has been shut down"
    case .call: "\(operation) failed\(codeText)"
    }
  }

  private var codeText: String {
    code < 0 ? ": \(String(cString: mpv_error_string(code)))" : ""
  }

  private func suffix(_ detail: String) -> String { detail.isEmpty ? "" : ": \(detail)" }
}
