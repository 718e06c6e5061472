/// The names in the files that change keys and colours, and the standard keys, for the manual.
package enum Reference {
  /// A group of related keys, as the help on the screen shows them.
  package struct KeyGroup: Hashable, Sendable {
    /// The heading of the group.
    package var section: String
    /// The keys of the group, in the order of the help.
    package var entries: [Entry]

    /// Keys that are explained in one line.
    package struct Entry: Hashable, Sendable {
      /// The names of the keys, separated by blanks.
      package var keys: String
      /// The effect of the keys.
      package var help: String
    }
  }

  /// The standard keys, grouped by purpose.
  package static var keys: [KeyGroup] {
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
  package static var commands: [String] { Command.named.map(\.name) + ["cycle fullscreen"] }

  /// The roles that have a colour in `theme.conf`.
  package static var roles: [String] { Theme.roles.map(\.name) + ["background"] }
}
