extension KeyMap {
  /// The name of a key that does this where `section` has the keys first; nil if there is none.
  func label(of command: Command, in section: Section? = nil, _ symbols: GlyphSet) -> TerminalText?
  {
    for entry in entries where !entry.section.isForOneThing || entry.section == section {
      for binding in entry.bindings where binding.command == command {
        // A key that the section takes for something else doesn't help.
        if let key = binding.keys.first(where: { self.command(for: $0, in: section) == command }) {
          return key.label(isUnicode: symbols.isUnicode)
        }
      }
    }
    return nil
  }
}
