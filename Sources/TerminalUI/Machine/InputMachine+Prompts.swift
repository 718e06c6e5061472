import Screening
import Timekeeping

/// Keys, pastes and submitted lines of the prompts.
extension InputMachine {
  mutating func type(_ key: KeyPress, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    guard var prompt = state.prompt else { return [] }
    switch (key.key, key.modifiers) {
    case (.escape, _):
      state.prompt = nil
      if prompt.kind == .search { state.search = nil }
      return []
    case (.enter, _): return submit(prompt, model, layout)
    case (.backspace, []) where prompt.editor.isEmpty:
      state.prompt = nil
      state.search = nil
      return []
    case (.pageUp, _), (.pageDown, _):
      scrollChat(
        key.key == .pageUp ? max(1, layout.chatRows.height - 1) : 1 - layout.chatRows.height,
        layout, model)
      return []
    case (.up, _) where prompt.kind == .search:
      select(model, by: -1)
      return []
    case (.down, _) where prompt.kind == .search:
      select(model, by: 1)
      return []
    case (.tab, []):
      if let request = requestPath() { return [.screen(.completePath(request))] }
      guard prompt.kind == .chat else { return [] }
      complete(&prompt, model)
    case (.up, _) where prompt.kind.keepsLines:
      let text = prompt.editor.text
      if let line = state.history[prompt.kind, default: .init()].older(than: text) {
        prompt.editor.replace(with: line)
      }
    case (.down, _) where prompt.kind.keepsLines:
      if let line = state.history[prompt.kind]?.newer() { prompt.editor.replace(with: line) }
    default:
      guard prompt.editor.handle(key) else { return [] }
    }
    prompt.edited()
    state.prompt = prompt
    if prompt.kind == .search {
      state.search = LibrarySearch(prompt.editor.text, in: model.library)
      // Enter opens the first result, also of a repeated search.
      let hits = state.shownLibrary(model)
      if hits.isSearch { state.library.select(0, in: hits) }
    }
    return []
  }

  func complete(_ prompt: inout Prompt, _ model: ScreenModel) {
    if var completion = prompt.completion, completion.text == prompt.editor.before {
      completion.next()
      prompt.completion = completion
    } else {
      prompt.completion = Completion(
        of: prompt.editor.before,
        names: model.roster.filter { !$0.isSelf }.map(\.name.description),
        commands: model.slashCommands)
    }
    if let completion = prompt.completion { prompt.editor.replaceBefore(with: completion.text) }
  }

  mutating func submit(
    _ prompt: Prompt, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect] {
    let text = prompt.editor.text
    let trimmed = String(
      text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard !trimmed.isEmpty else {
      state.prompt = nil
      state.search = nil
      return []
    }
    switch prompt.kind {
    case .chat where trimmed == "/help" || trimmed == "/":
      // The list is shown while the line begins with a slash.
      state.prompt = Prompt(.chat, text: "/")
      return []
    case .chat:
      if let own = SlashCommand.ofScreen.first(where: { "/" + $0.name == trimmed }),
        let command = Command.named.first(where: { $0.name == own.name })?.command
      {
        state.prompt = nil
        return perform(command, model, layout)
      }
      return submit(line: trimmed)
    case .name:
      guard !TerminalText(trimmed).isEmpty else {
        return complain("Please enter a visible name.")
      }
      return close(with: .setName(trimmed))
    case .openURL:
      if Self.isInvite(trimmed) { return close(with: Self.join(trimmed)) }
      return close(with: .load(trimmed), keeping: trimmed)
    case .join:
      guard Self.isInvite(trimmed) else {
        return complain("Not an invite. An invite begins with matinee://")
      }
      return close(with: Self.join(trimmed))
    case .goTo: return goTo(trimmed, model)
    case .search:
      guard !state.shownLibrary(model).entries.isEmpty else {
        return complain("No match")
      }
      state.prompt = nil
      return openSelected(model)
    }
  }

  /// Sends a line of the chat, or carries out the command after its slash. A wrong command stays in the prompt.
  private mutating func submit(line: String) -> [Effect] {
    let command: UserCommand
    do throws(UserCommandProblem) {
      command = try UserCommand(chatLine: line)
    } catch {
      return complain(TerminalText(error.description))
    }
    state.chatScroll = 0
    state.unread.clearMark()
    return close(with: command, keeping: line)
  }

  mutating func goTo(_ text: String, _ model: ScreenModel) -> [Effect] {
    switch TimeEntry(text) {
    case nil: return complain("Not a time. Examples: 12:30, 1:02:03, +90, -10, 50%")
    case .absolute(let time): return close(with: .seek(to: time), keeping: text)
    case .relative(let distance): return close(with: .skip(by: distance), keeping: text)
    case .fraction(let fraction):
      guard let duration = model.transport.duration else {
        return complain("Length unknown. Enter a time, not a percentage.")
      }
      return close(
        with: .seek(to: MediaTime(seconds: duration.seconds * fraction)), keeping: text)
    }
  }

  /// Closes the prompt with a command, and keeps its line.
  mutating func close(with command: UserCommand, keeping line: String) -> [Effect] {
    if let kind = state.prompt?.kind { state.history[kind, default: .init()].add(line) }
    return close(with: command)
  }

  mutating func close(with command: UserCommand) -> [Effect] {
    state.prompt = nil
    return [.user(command)]
  }

  mutating func complain(_ complaint: TerminalText) -> [Effect] {
    state.prompt?.complaint = complaint
    return []
  }

  /// Pastes text. It is never treated as keys: outside a prompt it opens the prompt that it fits.
  mutating func paste(_ text: String, _ model: ScreenModel) -> [Effect] {
    if state.prompt != nil {
      state.prompt?.editor.insert(text)
      state.prompt?.edited()
      return []
    }
    guard state.overlay == nil, state.question(model) == nil else { return [] }
    let start = text.drop(while: \.isWhitespace)
    if Self.isInvite(start) {
      state.prompt = Prompt(.join, text: String(start))
    } else if start.prefix(8).lowercased().hasPrefix("http://")
      || start.prefix(8).lowercased() == "https://"
    {
      state.prompt = Prompt(.openURL, text: String(start))
    }
    return []
  }

  static func isInvite(_ text: some StringProtocol) -> Bool {
    text.prefix(10).lowercased() == "matinee://"
  }

  /// Returns the command to join. An invite that was copied from a screen may have been cut into lines.
  static func join(_ text: String) -> UserCommand {
    .join(invite: text.filter { !$0.isWhitespace })
  }
}
