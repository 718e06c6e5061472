import Foundation

/// The folder of the program's data from earlier runs (XDG Base Directory Specification, `XDG_STATE_HOME`).
enum StateFolder {
  /// - Returns: nil if there is no home folder either.
  static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    BaseFolder.path("XDG_STATE_HOME", orInHome: ".local/state", environment: environment)
  }
}
