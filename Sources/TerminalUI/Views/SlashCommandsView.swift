/// The commands that match the typed slash command, above the prompt.
struct SlashCommandsView: Hashable, Sendable {
  var commands: [SlashCommand]

  /// Creates the list; nil while no command is being typed.
  init?(_ prompt: Prompt, in all: [SlashCommand]) {
    let text = prompt.editor.text
    // The complaint about the command is more important.
    guard prompt.kind == .chat, text.hasPrefix("/"), !text.hasPrefix("//"), prompt.complaint == nil
    else { return nil }
    let word = text.dropFirst().prefix { !$0.isWhitespace }
    let isComplete = text.dropFirst().contains(where: \.isWhitespace)
    commands = all.filter { isComplete ? $0.name == word : $0.name.hasPrefix(word) }
    if commands.isEmpty { return nil }
  }

  /// Draws the list.
  ///
  /// - Parameter prompt: the row under the list.
  func draw(above prompt: Rect, in layout: ScreenLayout, on canvas: inout Canvas) {
    let rows = min(commands.count, prompt.row - 3)
    guard rows > 0 else { return }
    let names = commands.map { command in
      TerminalText("/" + command.name + (command.arguments.isEmpty ? "" : " " + command.arguments))
    }
    let column = (names.map(\.width).max() ?? 0) + 2
    let longest = commands.map(\.help.width).max() ?? 0
    let width = min(layout.size.columns, column + longest + 4)
    let box = Rect(
      column: max(0, min(prompt.column, layout.size.columns - width)), row: prompt.row - rows - 2,
      width: width, height: rows + 2)
    canvas.drawFloatingFrame(box, title: "Commands")
    var inside = box.inset(columns: 2, rows: 1)
    let hasMore = commands.count > rows
    for (name, command) in zip(names, commands).prefix(hasMore ? rows - 1 : rows) {
      let help = command.help.clipped(to: inside.width - column, with: canvas.symbols.ellipsis)
      let line = StyledLine(name, .key)
        .adding(TerminalText.blanks(column - name.width)).adding(help, .plain)
      canvas.draw(line, in: inside.takeTop(1))
    }
    if hasMore {
      let rest = TerminalText("\(commands.count - rows + 1) more: type their beginning")
      canvas.draw(StyledLine(rest, .quiet), in: inside)
    }
  }
}
