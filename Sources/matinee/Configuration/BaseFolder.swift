import Foundation

/// Where programs keep what is theirs (XDG Base Directory Specification).
enum BaseFolder {
  /// - Parameters:
  ///   - variable: which of them, by its name in the environment.
  ///   - place: where it is below the home folder, if the environment doesn't say.
  /// - Returns: nil if there is no home folder either.
  static func path(
    _ variable: String, orInHome place: String, environment: [String: String]
  ) -> String? {
    // A relative path is invalid and to be ignored, says the specification.
    if let folder = environment[variable], folder.hasPrefix("/") { return folder + "/matinee" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/\(place)/matinee"
  }
}
