import FileNames

extension MPVConfiguration {
  /// The contents, as a name's text, of a configuration file with the options that override the user's `mpv.conf`.
  ///
  /// Options that are set before mpv reads its configuration lose to it, and those set afterwards come too late: its
  /// scripts, its socket and its terminal exist by then. In this mode mpv applies one profile in between
  /// (`player-operation-mode` in its manual). The first part keeps that mode's other defaults away. mpv reads a file as it
  /// reads a command line, so that all names of its manual work, such as `script`, `sub-file` and `vf-add`.
  ///
  /// - Parameter environment: names mpv's folders.
  func file(environment: [String: String]) -> String {
    var lines = [
      "force-window=no", "screenshot-directory=", "[pseudo-gui]", "terminal=no",
      "input-terminal=no",
    ]
    // With its length, a value may contain any character.
    func add(_ name: String, _ value: String) {
      lines.append("\(name)=%\(FileName.bytes(value).count)%\(value)")
    }
    let scripts = scriptsWithoutMPRIS(environment: environment)
    if scripts != nil { add("load-scripts", "no") }
    let left = isSecondary ? Self.earlyOptions.union(Self.ownedOptions) : Self.earlyOptions
    var sections: [String] = []
    for option in options where !left.contains(option.name) {
      // mpv reads a file that a profile includes, but doesn't apply it.
      if option.name == "include", let bytes = LoadDiagnosis.bytes(of: option.value, limit: 1 << 20)
      {
        let included = FileName.text(bytes).split(whereSeparator: \.isNewline).map(String.init)
        let start = included.firstIndex { $0.hasPrefix("[") } ?? included.endIndex
        lines += included[..<start]
        sections += included[start...]
      } else {
        add(option.name, option.value)
      }
    }
    for path in scripts ?? [] { add("scripts-append", path) }
    if isSecondary { lines += Self.ownedOptions.map { $0 + "=" } + ["save-position-on-quit=no"] }
    return (lines + sections).joined(separator: "\n") + "\n"
  }

  /// Returns the scripts to load one by one, without Debian's MPRIS plugin; nil if mpv loads its scripts itself.
  private func scriptsWithoutMPRIS(environment: [String: String]) -> [String]? {
    func value(_ name: String) -> String? { options.last { $0.name == name }?.value }
    guard value("config") ?? (noConfig ? "no" : "yes") != "no", value("load-scripts") != "no",
      !options.contains(where: { $0.name == "config-dir" }),
      !UserScripts.areOff(environment: environment)
    else { return nil }
    let scripts = UserScripts(environment: environment)
    return scripts.hasMPRIS ? scripts.paths : nil
  }
}
