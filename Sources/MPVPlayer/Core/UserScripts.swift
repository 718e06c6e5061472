import FileNames
import Foundation

/// The scripts that mpv loads from its configuration's folders, and Debian's `mpv-mpris` among them.
///
/// That plugin is a second MPRIS player beside Matinee's own, and writes to the terminal if there is no session bus. It
/// has no switch, so where it is installed Matinee loads the other scripts itself.
struct UserScripts: Hashable, Sendable {
  /// The paths in mpv's order: by name, those of a higher-priority folder first.
  private(set) var paths: [String] = []
  /// A Boolean value that indicates whether the plugin is among the scripts.
  private(set) var hasMPRIS = false

  /// Reads the folders.
  ///
  /// - Parameters:
  ///   - environment: names mpv's folders (`mpv(1)`, "Files").
  ///   - global: mpv's folder for all users.
  init(environment: [String: String], global: String = "/etc/mpv") {
    for folder in Self.folders(environment, global: global) {
      let scripts = folder + "/scripts"
      // mpv also loads nothing from a folder that can't be listed.
      guard let names = FileName.names(in: scripts) else { continue }
      for name in names.sorted() where !name.hasPrefix(".") {
        let path = scripts + "/" + name
        if name == "mpris.so" { hasMPRIS = true } else { paths.append(path) }
      }
    }
  }

  private static func folders(_ environment: [String: String], global: String) -> [String] {
    if let home = environment["MPV_HOME"], !home.isEmpty { return [home, global] }
    let home = environment["HOME"] ?? ""
    let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    let own = configuration ?? home + "/.config"
    return [own + "/mpv", home + "/.mpv", global]
  }

  /// A Boolean value that indicates whether the user's `mpv.conf` keeps mpv from loading scripts.
  static func areOff(environment: [String: String], global: String = "/etc/mpv") -> Bool {
    for folder in folders(environment, global: global) {
      guard let bytes = LoadDiagnosis.bytes(of: folder + "/mpv.conf", limit: 1 << 20) else {
        continue
      }
      for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
        let word = line.filter { !$0.isWhitespace && $0 != "\"" }.prefix { $0 != "#" }
        if word == "load-scripts=no" || word == "no-load-scripts" { return true }
        // The rest of the file belongs to profiles.
        if word.hasPrefix("["), word != "[default]" { break }
      }
    }
    return false
  }
}
