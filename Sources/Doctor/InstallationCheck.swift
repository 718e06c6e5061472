/// Checks whether the files that `make install` or a package puts beside the program are in the folders that shells,
/// man and desktops search.
///
/// The folders: man-db's manpath(1) derives them from PATH; bash-completion and fish follow the XDG Base Directory
/// Specification; zsh has its own list; desktops follow the Desktop Entry and the MIME Applications Specification.
struct InstallationCheck: Sendable {
  var environment: [String: String]
  var exists: @Sendable (String) -> Bool
  /// Returns the contents of a file; nil if there is no such file.
  var read: @Sendable (String) -> String?

  var findings: [DoctorFinding] {
    guard let command = path.map({ $0 + "/matinee" }).first(where: exists) else {
      return [
        .notice(
          "installed",
          "not in PATH: no manual, completions or clickable invites; run: make build && sudo make install"
        )
      ]
    }
    return [.good("installed", command), manual, completions, handler, unit].compactMap { $0 }
  }

  private var path: [String] {
    (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }

  /// The data folders, the user's own before the system's.
  private var dataFolders: [String] {
    let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
    let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
    return (own.map { [$0] } ?? [])
      + (shared ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
  }

  private func first(of candidates: [String]) -> String? {
    candidates.first(where: exists)
  }

  private var manual: DoctorFinding {
    let listed = (environment["MANPATH"] ?? "").split(separator: ":").map(String.init)
    let derived = path.flatMap { folder in
      let above = folder.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      return [above + "/share/man", above + "/man"]
    }
    let folders = listed + derived
    let pages = [
      "man1/matinee.1", "man1/matinee-relay.1", "man5/matinee.5", "man7/matinee-party.7",
      "man7/matinee-headless.7",
    ]
    let missing = pages.filter { page in
      first(of: folders.flatMap { ["\($0)/\(page)", "\($0)/\(page).gz"] }) == nil
    }
    return missing.isEmpty
      ? .good("manual", "man matinee, which names the other pages")
      : .notice(
        "manual",
        "not found: \(missing.map { String($0.dropFirst(5)) }.joined(separator: ", ")); "
          + "\(Self.installAgain)")
  }

  /// The completions for the user's shell.
  private var completions: DoctorFinding? {
    let shell = (environment["SHELL"] ?? "").split(separator: "/").last.map(String.init) ?? ""
    let system = ["/usr/local/share", "/usr/share"]
    let places: [String]
    switch shell {
    case "bash":
      places = dataFolders.map { $0 + "/bash-completion/completions/matinee" }
    case "zsh":
      places = system.flatMap { share in
        ["site-functions", "vendor-completions"].map { "\(share)/zsh/\($0)/_matinee" }
      }
    case "fish": places = dataFolders.map { $0 + "/fish/vendor_completions.d/matinee.fish" }
    default: return nil
    }
    guard first(of: places) != nil else {
      let other = dataFolders.map { $0 + "/zsh/site-functions" }
        .first { shell == "zsh" && exists($0 + "/_matinee") }
      return .notice(
        shell,
        other.map {
          "completions are in \($0), where zsh doesn't look; add it to fpath in ~/.zshrc"
        }
          ?? "no completions found; \(Self.installAgain)")
    }
    if shell == "bash",
      first(of: dataFolders.map { $0 + "/bash-completion/bash_completion" }) == nil
    {
      return .notice(
        shell, "completions need bash-completion (Debian: apt install bash-completion)")
    }
    return .good(shell, "completes commands and options")
  }

  /// The program that opens a clicked invite.
  private var handler: DoctorFinding {
    let folders = dataFolders.map { $0 + "/applications" }
    guard let folder = folders.first(where: { exists($0 + "/matinee.desktop") }) else {
      return .notice(
        "invites", "matinee.desktop isn't installed; \(Self.installAgain)")
    }
    if let chosen = chosenHandler, chosen != "matinee.desktop" {
      return .notice(
        "invites",
        "\(chosen) opens them; to change it: xdg-mime default matinee.desktop \(Self.scheme)")
    }
    let isKnown =
      chosenHandler != nil
      || folders.contains { folder in
        Self.values(of: Self.scheme, in: read(folder + "/mimeinfo.cache") ?? "")
          .contains("matinee.desktop")
      }
    return isKnown
      ? .good("invites", "a click on an invite joins the party in a terminal")
      : .notice(
        "invites",
        "a click doesn't open them yet; run: update-desktop-database \(folder) "
          + "(Debian: apt install desktop-file-utils)")
  }

  /// The relay's unit for systemd's user manager; nil without systemd.
  private var unit: DoctorFinding? {
    guard exists("/run/systemd/system") else { return nil }
    let folders = dataFolders.map { $0 + "/systemd/user" }
    let system = ["/usr/local/lib/systemd/user", "/usr/lib/systemd/user", "/lib/systemd/user"]
    return first(of: (folders + system).map { $0 + "/matinee-relay.service" }) == nil
      ? .notice("service", "matinee-relay.service isn't installed; \(Self.installAgain)")
      : .good("service", "systemctl --user start matinee-relay runs a relay")
  }

  /// The handler that the user or the system prefers; nil if there is no preference.
  private var chosenHandler: String? {
    let own = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
    let lists = (own.map { [$0] } ?? []) + ["/etc/xdg"] + dataFolders.map { $0 + "/applications" }
    for list in lists {
      guard let text = read(list + "/mimeapps.list") else { continue }
      let defaults = text.components(below: "[Default Applications]")
      if let first = Self.values(of: Self.scheme, in: defaults).first { return first }
    }
    return nil
  }

  private static func values(of key: String, in text: String) -> [String] {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(key + "=") {
      return line.dropFirst(key.count + 1).split(separator: ";").map(String.init)
    }
    return []
  }

  private static let scheme = "x-scheme-handler/matinee"
  private static let installAgain = "reinstall: sudo make install, or the package"
}

extension String {
  /// Returns the lines of one group of a desktop file.
  fileprivate func components(below heading: String) -> String {
    var isInside = false
    var lines: [Substring] = []
    for line in split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") {
        isInside = line == heading
      } else if isInside {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n")
  }
}
