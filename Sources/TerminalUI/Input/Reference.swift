/// The names in the files that change keys and colours, and the standard keys, for the manual.
public enum Reference {
  /// A group of related keys, as the help on the screen shows them.
  public struct KeyGroup: Hashable, Sendable {
    public var section: String
    public var entries: [Entry]

    public struct Entry: Hashable, Sendable {
      public var keys: String
      public var help: String
    }
  }

  /// The standard keys, grouped by purpose.
  public static var keys: [KeyGroup] {
    let map = KeyMap.standard
    return KeyMap.Section.allCases.compactMap { section in
      let entries = map.entries.filter { $0.section == section }.map { entry in
        KeyGroup.Entry(
          keys: entry.keysLabel(isUnicode: false, allKeys: true).description, help: entry.help)
      }
      return entries.isEmpty ? nil : KeyGroup(section: section.rawValue, entries: entries)
    }
  }

  /// The commands of `keys.conf` that concern the screen, beside those of `UserCommandTable`.
  public static var commands: [String] { Command.named.map(\.name) + ["cycle fullscreen"] }

  /// The roles that have a colour in `theme.conf`.
  public static var roles: [String] { Theme.roles.map(\.name) + ["background"] }
}
