/// The words for a user who has watched nothing yet, below the entries of the library.
struct WelcomeView: Hashable, Sendable {
  var keyMap: KeyMap

  /// Draws the words in an area, unless they need the rows of the entries.
  ///
  /// - Returns: true if there was room.
  func draw(in area: Rect, below entries: Int, on canvas: inout Canvas) -> Bool {
    let lines = lines(canvas.symbols)
    let width = lines.map(\.width).max() ?? 0
    guard entries + lines.count + 2 <= area.height, width <= area.width else { return false }
    let first = entries + (area.height - entries - lines.count) / 2
    for (index, line) in lines.enumerated() {
      var row = area.line(first + index)
      row.column += (area.width - width) / 2
      row.width = width
      canvas.draw(line, in: row)
    }
    return true
  }

  private func lines(_ symbols: GlyphSet) -> [StyledLine] {
    let keys: [(Command, String)] = [
      (.prompt(.openURL), "open a film or a URL by its name"),
      (.showInvite, "join a friend's party: paste the invite"),
      (.openPartyOrPictureInPicture, "host a party; the film can be chosen later"),
      (.addFolder, "add this folder to the library"),
    ]
    let commands = [
      ("matinee film.mkv", "a player like mpv"),
      ("matinee host film.mkv", "a party, and the invite to send"),
      ("matinee doctor", "checks sound, terminal and network"),
    ]
    func line(_ name: TerminalText, _ text: String, _ column: Int, _ style: Style) -> StyledLine {
      let gap = TerminalText(String(repeating: " ", count: max(1, column - name.width)))
      return StyledLine(name, style).adding(gap + TerminalText(text), .quiet)
    }
    let own = keys.compactMap { command, text in
      keyMap.label(of: command, in: command == .addFolder ? .library : nil, symbols).map {
        line($0, text, 6, .key)
      }
    }
    return [StyledLine("Watch films together, from the terminal.", .strong), StyledLine()] + own
      + [StyledLine()] + commands.map { line(TerminalText($0), $1, 24, .plain) }
  }
}
