import Foundation

/// Where the program keeps what it remembers from run to run (XDG Base Directory Specification, `XDG_STATE_HOME`).
enum StateFolder {
  /// - Returns: nil if there is no home folder either.
  static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    // A relative path is invalid and to be ignored, says the specification.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/matinee" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/matinee"
  }
}
