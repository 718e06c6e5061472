import Foundation

/// Where the program keeps what it remembers from run to run (XDG Base Directory Specification, `XDG_STATE_HOME`).
enum StateFolder {
  /// - Returns: nil if there is no home folder either.
  static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    BaseFolder.path("XDG_STATE_HOME", orInHome: ".local/state", environment: environment)
  }
}
