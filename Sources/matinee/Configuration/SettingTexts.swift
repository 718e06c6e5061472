/// The texts that the user wrote for the settings: in `matinee.conf`, and in the environment.
struct SettingTexts: Sendable {
  struct Text: Hashable, Sendable {
    var text: String
    /// The text's source, for messages: a line of the file, or the name of a variable.
    var origin: String
    var isFromFile: Bool
  }

  private let file: SettingsFile?
  private let fileName: String
  private let environment: [String: String]

  /// - Parameters:
  ///   - fileName: the file's name in messages.
  ///   - environment: the variables by name; an empty one counts as missing.
  init(file: SettingsFile?, fileName: String, environment: [String: String]) {
    self.file = file
    self.fileName = fileName
    self.environment = environment.filter { !$0.value.isEmpty }
  }

  /// Returns the texts that apply to a setting, without empty ones.
  ///
  /// The environment replaces the file, except for mpv's options, which add up: the environment's come last, so that
  /// they win.
  func texts(of setting: SettingDescription) -> [Text] {
    let (written, variable) = (written(for: setting), variable(for: setting))
    let texts =
      setting.name == "mpv" ? (written ?? []) + (variable ?? []) : variable ?? written ?? []
    return texts.filter { !$0.text.isEmpty }
  }

  /// If a setting occurs twice in the file, the later line counts; a repeatable setting keeps all of them.
  ///
  /// - Returns: nil if the file doesn't have the setting.
  private func written(for setting: SettingDescription) -> [Text]? {
    let found = (file?.entries ?? []).filter {
      $0.section == setting.section && $0.name == setting.name
    }
    guard let last = found.last else { return nil }
    let origin = "\(fileName), line \(last.line)"
    return (setting.isRepeating ? found : [last]).map {
      Text(text: $0.value, origin: origin, isFromFile: true)
    }
  }

  /// A variable has the texts of a repeatable setting on a line each.
  ///
  /// - Returns: nil if the environment doesn't have the setting.
  private func variable(for setting: SettingDescription) -> [Text]? {
    guard let value = environment[setting.variable] else { return nil }
    let texts = setting.isRepeating ? value.split(separator: "\n").map(\.trimmed) : [value[...]]
    return texts.map { Text(text: String($0), origin: setting.variable, isFromFile: false) }
  }
}
