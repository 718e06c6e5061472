import Foundation
import MatineeKit
import Screening
import TerminalUI

/// The values in `matinee.conf` and the environment. The environment has priority over the file.
struct Settings: Sendable {
  struct Value: Hashable, Sendable {
    var setting: SettingDescription
    /// The value as an argument of the command line.
    var argument: String
    /// The value's source: a line of the file, or the name of a variable.
    var origin: String
  }

  /// The file, and its readability for users other than its owner.
  struct Source: Sendable {
    var file: SettingsFile
    var path: String
    var isReadableByOthers: Bool
    /// The reason why the file couldn't be read; nil if it was read.
    var failure: String?

    static let fileName = "matinee.conf"
  }

  /// The settings of this machine's user, before they are interpreted.
  struct Sources: Sendable {
    var file = Source(folder: ConfigurationFolder.path())
    var environment = ProcessInfo.processInfo.environment

    /// The variables by name; an empty one counts as missing.
    var variables: [String: String] {
      environment.filter { $0.key.hasPrefix("MATINEE_") && !$0.value.isEmpty }
    }
    var areEmpty: Bool { file == nil && variables.isEmpty }
  }

  /// The values in the order in which the options are declared.
  private(set) var values: [Value] = []
  /// The settings that can't be understood, with their lines and suggestions.
  private(set) var warnings: [String] = []

  init(of settings: [SettingDescription], sources: Sources) {
    let variables = sources.variables
    warnings = (sources.file?.file).map { Self.problems(in: $0, settings) } ?? []
    warnings += [sources.file?.failure].compactMap(\.self)
    let known = settings.map(\.variable)
    for variable in variables.keys.sorted() where !known.contains(variable) {
      warnings.append(
        "environment: unknown setting “\(Self.shown(variable))”"
          + Spelling.suggestion(for: variable, among: known))
    }
    for setting in settings {
      let written = Self.texts(of: setting, in: sources.file?.file)
      let given = variables[setting.variable].map { value in
        // A variable has the texts of a repeatable setting on a line each.
        (setting.option.isRepeating ? value.split(separator: "\n").map(\.trimmed) : [value[...]])
          .map { Text(text: String($0), origin: setting.variable) }
      }
      // The environment replaces the file, except for mpv's options, which add up: the last ones win.
      let texts = setting.name == "mpv" ? written + (given ?? []) : given ?? written
      for text in texts where !text.text.isEmpty { add(text, to: setting, sources) }
    }
  }

  private struct Text {
    var text: String
    var origin: String
    var isFromFile = false
  }

  /// Returns the texts of a setting in the file. If it occurs twice, the later line counts; a repeatable setting keeps
  /// all of them.
  private static func texts(of setting: SettingDescription, in file: SettingsFile?) -> [Text] {
    let found = (file?.entries ?? []).filter {
      $0.section == setting.section && $0.name == setting.name
    }
    return found.suffix(setting.option.isRepeating ? found.count : 1).map {
      Text(text: $0.value, origin: "\(Source.fileName), line \($0.line)", isFromFile: true)
    }
  }

  private mutating func add(_ text: Text, to setting: SettingDescription, _ sources: Sources) {
    func add(_ argument: String) {
      values.append(Value(setting: setting, argument: argument, origin: text.origin))
    }
    if setting.mayBeSecret, text.isFromFile, let source = sources.file, source.isReadableByOthers,
      text.text.contains("@")
    {
      warnings.append(
        "\(text.origin): “\(setting.name)” is ignored, because it contains a password and other users can read the file. "
          + "Fix: chmod 600 \(source.path)")
    } else if !setting.isFlag {
      // No shell replaces a tilde here.
      let home = text.text.hasPrefix("~/") ? sources.environment["HOME"] : nil
      add("--\(setting.name)=\(home.map { $0 + text.text.dropFirst() } ?? text.text)")
    } else {
      switch text.text.lowercased() {
      case "yes", "true", "on", "1": add("--\(setting.name)")
      case "no", "false", "off", "0": add("--no-\(setting.name)")
      default: warnings.append("\(text.origin): “\(setting.name)” must be yes or no; ignored")
      }
    }
  }

  private static func problems(
    in file: SettingsFile, _ settings: [SettingDescription]
  ) -> [String] {
    var found = file.problems.map { (line: $0.line, text: $0.reason) }
    var unknownSections: Set<String> = []
    for entry in file.entries {
      if let section = entry.section, !SettingDescription.sections.contains(section) {
        guard unknownSections.insert(section).inserted else { continue }
        let suggestion = Spelling.suggestion(for: section, among: SettingDescription.sections)
        found.append((entry.line, "unknown section “[\(shown(section))]”" + suggestion))
      } else if let problem = problem(with: entry, settings) {
        found.append((entry.line, problem))
      }
    }
    return found.sorted { $0.line < $1.line }.map {
      "\(Source.fileName), line \($0.line): \($0.text)"
    }
  }

  private static func problem(
    with entry: SettingsFile.Entry, _ settings: [SettingDescription]
  ) -> String? {
    let (name, section) = (entry.name, entry.section)
    func names(_ section: String?) -> [String] {
      settings.filter { $0.section == section }.map(\.name)
    }
    guard !names(section).contains(name) else { return nil }
    if entry.value.hasPrefix("matinee://") {
      return "invites aren't read from here, because anyone who reads one can join; "
        + "use matinee join or matinee join --invite-file PATH"
    }
    if SettingDescription.commandLineOnly.contains(name) {
      return "“\(name)” works on the command line only"
    }
    if section == nil, names("relay").contains(name) {
      return "“\(name)” is a setting of “matinee relay”; put it below [relay]"
    }
    // The value is not repeated: it may be a secret under a wrong name.
    return "unknown setting “\(shown(name))”"
      + Spelling.suggestion(for: name, among: names(section))
  }

  private static func shown(_ text: String) -> String {
    TerminalText(text, maximumLength: 60).description
  }
}

extension Settings.Source {
  /// - Returns: nil if there is no such file.
  init?(folder: String?) {
    guard let path = folder.map({ $0 + "/" + Self.fileName }) else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(
      file: SettingsFile(parsing: ""), path: path, isReadableByOthers: status.st_mode & 0o077 != 0)
    do throws(ConfigurationFolder.File.Failure) {
      file = SettingsFile(parsing: try ConfigurationFolder.File(path).text)
    } catch {
      failure = error.warning(about: path)
    }
  }
}
