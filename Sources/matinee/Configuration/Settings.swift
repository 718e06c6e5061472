import Foundation
import Screening
import TerminalUI

/// The values in `matinee.conf` and the environment. The environment has priority over the file.
struct Settings: Sendable {
  struct Value: Hashable, Sendable {
    var setting: SettingDescription
    /// The value as arguments of the command line.
    var arguments: [String]
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

    /// - Returns: nil if there is no such file.
    init?(folder: String?) {
      guard let folder else { return nil }
      let path = folder + "/" + Self.fileName
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      var (text, failure): (String, String?) = ("", nil)
      do throws(ConfigurationFolder.File.Failure) {
        text = try ConfigurationFolder.File(path).text
      } catch {
        failure = error.warning(about: path)
      }
      self.init(
        file: SettingsFile(parsing: text), path: path,
        isReadableByOthers: status.st_mode & 0o077 != 0)
      self.failure = failure
    }

    init(file: SettingsFile, path: String, isReadableByOthers: Bool) {
      self.file = file
      self.path = path
      self.isReadableByOthers = isReadableByOthers
    }
  }

  /// The values in the order in which the options are declared.
  private(set) var values: [Value] = []
  /// The settings that can't be understood, with their lines and suggestions.
  private(set) var warnings: [String] = []
  private let home: String?

  init(catalog: SettingCatalog, source: Source?, environment: [String: String]) {
    home = environment["HOME"]
    let mine = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
    guard source != nil || !mine.isEmpty else { return }
    if let source { checkNames(in: source.file, catalog) }
    if let failure = source?.failure { warnings.append(failure) }
    checkNames(of: mine.keys.sorted(), catalog)

    let texts = SettingTexts(file: source?.file, fileName: Source.fileName, environment: mine)
    for setting in catalog.settings {
      for text in texts.texts(of: setting) { add(text, to: setting, source) }
    }
  }

  /// The prefix of the names in the environment.
  static let prefix = "MATINEE_"

  private mutating func add(
    _ given: SettingTexts.Text, to setting: SettingDescription, _ source: Source?
  ) {
    let (text, origin) = (given.text, given.origin)
    if setting.mayBeSecret, given.isFromFile, let source, source.isReadableByOthers,
      text.contains("@")
    {
      warnings.append(
        "\(origin): “\(setting.name)” is ignored, because it contains a password and other users can read the file. "
          + "Fix: chmod 600 \(source.path)")
      return
    }
    guard setting.isFlag else {
      values.append(
        Value(
          setting: setting, arguments: ["--\(setting.name)=\(Self.expandingHome(text, home))"],
          origin: origin))
      return
    }
    guard let isOn = Self.isOn(text) else {
      warnings.append("\(origin): “\(setting.name)” must be yes or no; ignored")
      return
    }
    guard isOn || setting.hasOpposite else { return }
    values.append(
      Value(
        setting: setting, arguments: ["--\(isOn ? "" : "no-")\(setting.name)"], origin: origin))
  }

  private static func isOn(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }

  /// Replaces a leading `~/` by the home folder, which no shell does here.
  private static func expandingHome(_ text: String, _ home: String?) -> String {
    guard text.hasPrefix("~/"), let home else { return text }
    return home + text.dropFirst()
  }

  private mutating func checkNames(in file: SettingsFile, _ catalog: SettingCatalog) {
    var found: [(line: Int, text: String)] = file.problems.map { ($0.line, $0.reason) }
    var unknownSections: Set<String> = []
    for entry in file.entries {
      if let section = entry.section, !SettingCatalog.sections.contains(section) {
        if unknownSections.insert(section).inserted {
          found.append(
            (
              entry.line,
              "unknown section “[\(Self.shown(section))]”"
                + Spelling.suggestion(for: section, among: SettingCatalog.sections)
            ))
        }
      } else if let problem = Self.problem(
        with: entry.name, value: entry.value, section: entry.section, catalog)
      {
        found.append((entry.line, problem))
      }
    }
    for problem in found.sorted(by: { $0.line < $1.line }) {
      warnings.append("\(Source.fileName), line \(problem.line): \(problem.text)")
    }
  }

  private static func problem(
    with name: String, value: String, section: String?, _ catalog: SettingCatalog
  ) -> String? {
    guard catalog.setting(name, section: section) == nil else { return nil }
    if value.hasPrefix("matinee://") {
      return "invites aren't read from here, because anyone who reads one can join; "
        + "use matinee join or matinee join --invite-file PATH"
    }
    if SettingCatalog.commandLineOnly.contains(name) {
      return "“\(name)” works on the command line only"
    }
    if section == nil, catalog.setting(name, section: "relay") != nil {
      return "“\(name)” is a setting of “matinee relay”; put it below [relay]"
    }
    // The value is not repeated: it may be a secret under a wrong name.
    return "unknown setting “\(shown(name))”"
      + Spelling.suggestion(for: name, among: catalog.names(section: section))
  }

  private mutating func checkNames(of variables: [String], _ catalog: SettingCatalog) {
    let known = catalog.settings.map(\.variable)
    for variable in variables where !known.contains(variable) {
      warnings.append(
        "environment: unknown setting “\(Self.shown(variable))”"
          + Spelling.suggestion(for: variable, among: known))
    }
  }

  private static func shown(_ text: String) -> String {
    TerminalText(text, maximumLength: 60).description
  }
}
