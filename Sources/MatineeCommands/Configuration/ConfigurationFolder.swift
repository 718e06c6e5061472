import FileNames
import Foundation
import MatineeKit
import TerminalUI

/// The folder of the files that the user writes for the program (XDG Base Directory Specification, `XDG_CONFIG_HOME`).
enum ConfigurationFolder {
  /// - Returns: nil if there is no home folder either.
  static func path(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    BaseFolder.path("XDG_CONFIG_HOME", orInHome: ".config", environment: environment)
  }

  /// A file in that folder. Only a regular file is read, so that a pipe or a device doesn't delay the start.
  struct File {
    enum Failure: Error, Hashable {
      case missing, unreadable, special, tooLarge

      /// Returns a warning for the user; nil for a file that doesn't have to be there.
      func warning(about path: String) -> String? {
        switch self {
        case .missing: nil
        case .unreadable: "\(path) can't be read. Check its permissions."
        case .special: "\(path) isn't read, because it isn't a file but a folder, pipe or device."
        case .tooLarge: "\(path) isn't read, because it has more than 1 MiB or 10,000 lines."
        }
      }
    }

    var text: String

    private static let sizeLimit = 1 << 20
    /// Each line may have a problem, which is reported.
    private static let lineLimit = 10_000

    init(_ path: String) throws(Failure) {
      // Opening a pipe without a writer would block.
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      guard descriptor >= 0 else {
        throw [ENOENT, ENOTDIR].contains(errno) ? .missing : .unreadable
      }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .unreadable }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .special }
      let data: Data?
      do {
        // `read` returns nil at the end of the file, so also for an empty file.
        data = try handle.read(upToCount: Self.sizeLimit + 1)
      } catch {
        throw .unreadable
      }
      let bytes = data ?? Data()
      guard bytes.count <= Self.sizeLimit,
        bytes.count(where: { $0 == UInt8(ascii: "\n") }) <= Self.lineLimit
      else { throw .tooLarge }
      text = String(decoding: bytes, as: UTF8.self)
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
      guard let text = text(of: path) else { return }
      theme = Theme(parsing: text)
      warnings += theme.problems.map { "\(themeName ?? "theme.conf"), \($0)" }
    }
  }

  /// Returns the reason why there is no such theme; nil if there is one.
  static func problem(withTheme name: String) -> String? {
    let names = Theme.named.map(\.name)
    guard !names.contains(name), name.withFileName({ access($0, F_OK) }) != 0 else { return nil }
    return "--theme: there is no file \(name); themes: \(names.joined(separator: ", "))"
  }

  /// Reads a file, and adds a warning if it exists but can't be read.
  private mutating func text(of path: String) -> String? {
    do throws(ConfigurationFolder.File.Failure) {
      return try ConfigurationFolder.File(path).text
    } catch {
      if let warning = error.warning(about: path) { warnings.append(warning) }
      return nil
    }
  }
}
