import Foundation
import TerminalUI

/// The folder of the files that the user writes for the program (XDG Base Directory Specification, `XDG_CONFIG_HOME`).
enum ConfigurationFolder {
  /// - Returns: nil if there is no home folder either.
  static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    BaseFolder.path("XDG_CONFIG_HOME", orInHome: ".config", environment: environment)
  }

  /// A file in that folder.
  struct File {
    var text: String

    /// - Returns: nil if there is no such file or it can't be read. Only the first MiB is read.
    init?(_ path: String) {
      guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
      defer { try? handle.close() }
      do {
        // `read` returns nil at the end of the file, so also for an empty file.
        text = String(decoding: try handle.read(upToCount: 1 << 20) ?? Data(), as: UTF8.self)
      } catch {
        return nil
      }
    }
  }
}

/// The user's keys and colours. Invalid lines are skipped and reported with their line numbers.
struct UserFiles: Sendable {
  var keyBindings = KeyBindings()
  var theme = Theme.standard
  private(set) var warnings: [String] = []

  /// - Parameters:
  ///   - folder: the folder of `keys.conf` and `theme.conf`; nil for none.
  ///   - themeName: the name of a built-in theme, or a file's path; nil for `theme.conf`.
  init(folder: String?, themeName: String? = nil) {
    if let folder, let text = text(of: folder + "/keys.conf") {
      keyBindings = KeyBindings(parsing: text)
      warnings += keyBindings.problems.map { "keys.conf, \($0)" }
    }
    if let themeName, let named = Theme.named.first(where: { $0.name == themeName }) {
      theme = named.theme
    } else if let path = themeName ?? folder.map({ $0 + "/theme.conf" }) {
      guard let text = text(of: path) else {
        if themeName != nil, !FileManager.default.fileExists(atPath: path) {
          let names = Theme.named.map(\.name).joined(separator: ", ")
          warnings.append("--theme: there is no file \(path); themes: \(names)")
        }
        return
      }
      theme = Theme(parsing: text)
      warnings += theme.problems.map { "\(themeName ?? "theme.conf"), \($0)" }
    }
  }

  /// Reads a file, and adds a warning if it exists but can't be read.
  private mutating func text(of path: String) -> String? {
    if let file = ConfigurationFolder.File(path) { return file.text }
    if FileManager.default.fileExists(atPath: path) {
      warnings.append("\(path) can't be read. Check its permissions.")
    }
    return nil
  }
}
