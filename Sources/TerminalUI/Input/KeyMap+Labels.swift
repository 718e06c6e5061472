extension KeyMap {
  /// Returns the name of a key for this command while `section` has the keys first; nil if there is none.
  func label(of command: Command, in section: Section? = nil, _ symbols: GlyphSet) -> TerminalText?
  {
    for entry in entries where !entry.section.isForOneThing || entry.section == section {
      for binding in entry.bindings where binding.command == command {
        // A key that has another command in the section is no help.
        if let key = binding.keys.first(where: { self.command(for: $0, in: section) == command }) {
          return key.label(isUnicode: symbols.isUnicode)
        }
      }
    }
    return nil
  }
}
