import Foundation

/// The folders in which programs keep their files (XDG Base Directory Specification).
package enum BaseFolder {
  /// Returns the program's folder in one of the base folders.
  ///
  /// - Parameters:
  ///   - variable: the base folder's name in the environment.
  ///   - place: its path below the home folder, used if the environment doesn't set it.
  /// - Returns: nil if there is no home folder either.
  package static func path(
    _ variable: String, orInHome place: String, environment: [String: String]
  ) -> String? {
    // The specification says that a relative path is invalid and must be ignored.
    if let folder = environment[variable], folder.hasPrefix("/") { return folder + "/matinee" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/\(place)/matinee"
  }
}

/// The folder of the program's data from earlier runs (XDG Base Directory Specification, `XDG_STATE_HOME`).
package enum StateFolder {
  /// - Returns: nil if there is no home folder either.
  package static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    BaseFolder.path("XDG_STATE_HOME", orInHome: ".local/state", environment: environment)
  }
}
