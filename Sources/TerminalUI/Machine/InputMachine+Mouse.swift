import Screening
import Timekeeping

/// The mouse, and dragging with keys.
extension InputMachine {
  /// The longest time between the two clicks of a double click.
  static let doubleClick = Duration.milliseconds(400)

  mutating func handle(
    _ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout, at now: HostTime
  ) -> [Effect] {
    // A drag that began on the bar continues wherever the pointer is.
    if state.scrub != nil { return scrub(mouse, model, layout) }
    if case .help(let scroll, let filter) = state.overlay {
      switch mouse.action {
      case .wheelUp: scrollHelp(to: scroll - 3, filter, model, layout)
      case .wheelDown: scrollHelp(to: scroll + 3, filter, model, layout)
      case .press, .drag, .release, .secondaryPress: break
      }
      return []
    }
    if case .playlist(let selected) = state.overlay {
      return handle(mouse, inPlaylistAt: selected, model, layout)
    }
    if mouse.action == .press {
      if case .confirmation(let confirmation) = state.overlay {
        let view = QuestionView(question: confirmation.question, marked: 1)
        guard let choice = view.choice(at: mouse.point, in: layout) else { return [] }
        return decide(choice == 0, confirmation, model)
      }
      if let question = state.question(model), layout.hasRoomForPages {
        let view = QuestionView(question: question, marked: state.choiceIndex(question))
        let choice = view.choice(at: mouse.point, in: layout)
        return choice.map { choiceMade($0, of: question) } ?? []
      }
    }
    guard state.overlay == nil, state.question(model) == nil else { return [] }
    if let effects = draw(mouse, model, layout) { return effects }
    let isInLibrary = state.isLibraryShown(model)
    if !isInLibrary, layout.pane.contains(mouse.point),
      let effects = press(mouse, model, layout, at: now)
    {
      return effects
    }
    switch mouse.action {
    case .wheelUp, .wheelDown:
      let step = mouse.action == .wheelUp ? 1 : -1
      if layout.chatRows.contains(mouse.point) {
        scrollChat(3 * step, layout, model)
      } else if layout.pane.contains(mouse.point) {
        // As in mpv, the wheel changes the volume.
        if !isInLibrary { return [.user(.changeVolume(by: Double(2 * step)))] }
        select(model, by: -step)
      }
    case .press:
      let bar = TransportView.barArea(in: layout.transport, model.transport)
      if bar.contains(mouse.point), model.transport.duration != nil {
        return scrub(mouse, model, layout)
      }
      if layout.transport.contains(mouse.point), mouse.point.column < bar.column {
        return [.user(.playPause)]
      }
      if isInLibrary, layout.paneRows.contains(mouse.point) {
        return clickLibrary(mouse.point, model, layout)
      }
      if layout.pane.contains(mouse.point) { clickPane(mouse.point, model, at: now) }
    case .secondaryPress:
      if !isInLibrary, layout.pane.contains(mouse.point) { return [.user(.playPause)] }
    case .drag, .release: break
    }
    return []
  }

  /// Performs the user's binding of a mouse action over the video.
  ///
  /// - Returns: nil if the mouse action isn't bound.
  private mutating func press(
    _ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout, at now: HostTime
  ) -> [Effect]? {
    let key: Key.MouseKey
    switch mouse.action {
    case .press:
      let isSecond =
        state.lastClick.map { $0.point == mouse.point && now - $0.time <= Self.doubleClick }
        ?? false
      key = isSecond ? .leftDouble : .left
    case .secondaryPress: key = .right
    case .wheelUp: key = .wheelUp
    case .wheelDown: key = .wheelDown
    case .drag, .release: return nil
    }
    let pressed = KeyPress(.mouse(key))
    if keyMap.ignored.contains(pressed) { return [] }
    guard let command = keyMap.command(for: pressed) else { return nil }
    if mouse.action == .press {
      state.lastClick = key == .left ? .init(point: mouse.point, time: now) : nil
    }
    return perform(command, model, layout)
  }

  mutating func handle(
    _ mouse: MouseEvent, inPlaylistAt selected: Int, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect] {
    switch mouse.action {
    case .wheelUp: selectEntry(selected - 1, of: model)
    case .wheelDown: selectEntry(selected + 1, of: model)
    case .press:
      switch PlaylistView.index(
        at: mouse.point, selected: selected, of: model.playlist.count, in: layout)
      {
      case nil: state.overlay = nil
      case selected: return watch(entry: selected)
      case let index?: selectEntry(index, of: model)
      }
    case .drag, .release, .secondaryPress: break
    }
    return []
  }

  /// Counts clicks. As in mpv, a double click toggles the full picture.
  mutating func clickPane(_ point: ScreenPoint, _ model: ScreenModel, at now: HostTime) {
    if let last = state.lastClick, last.point == point, now - last.time <= Self.doubleClick {
      state.lastClick = nil
      arrange(.picture, model)
    } else {
      state.lastClick = .init(point: point, time: now)
    }
  }

  mutating func scrub(_ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    let bar = TransportView.barArea(in: layout.transport, model.transport)
    guard let duration = model.transport.duration, bar.width > 1 else { return giveUpScrub() }
    switch mouse.action {
    case .press, .drag:
      let offset = Double(min(max(0, mouse.point.column - bar.column), bar.width - 1))
      let scrub = MediaTime(seconds: duration.seconds * offset / Double(bar.width - 1))
      guard scrub != state.scrub else { return [] }
      state.scrub = scrub
      return mouse.action == .drag ? follow() : []
    case .release where !state.isKeyScrub: return letGo()
    case .release, .secondaryPress, .wheelUp, .wheelDown: return []
    }
  }

  mutating func scrub(_ key: KeyPress, _ model: ScreenModel) -> [Effect] {
    guard let duration = model.transport.duration, let position = state.scrub else {
      return giveUpScrub()
    }
    if key.key == .escape { return giveUpScrub() }
    if key.key == .enter { return letGo() }
    guard case .user(let command)? = keyMap.command(for: key) else { return [] }
    if command == .quit { return giveUpScrub() + [.user(.quit)] }
    let step: Duration
    if case .skip(by: let distance) = command {
      step = distance
    } else if case .frameStep(by: let frames) = command {
      step = .milliseconds(40 * frames)
    } else {
      return []
    }
    state.scrub = min(max(.zero, position + step), duration)
    return follow()
  }

  /// Makes the player show the position of the drag.
  mutating func follow() -> [Effect] {
    guard let scrub = state.scrub else { return [] }
    state.isScrubSent = true
    return [.user(.scrub(to: scrub))]
  }

  mutating func letGo() -> [Effect] {
    guard let scrub = state.scrub else { return [] }
    let isSent = state.isScrubSent
    endScrub()
    return [.user(isSent ? .endScrub(at: scrub) : .seek(to: scrub))]
  }

  mutating func giveUpScrub() -> [Effect] {
    let isSent = state.isScrubSent
    endScrub()
    return isSent ? [.user(.endScrub(at: nil))] : []
  }

  mutating func endScrub() {
    state.scrub = nil
    state.isKeyScrub = false
    state.isScrubSent = false
  }

  mutating func clickLibrary(
    _ point: ScreenPoint, _ model: ScreenModel, _ layout: ScreenLayout
  )
    -> [Effect]
  {
    let rows = layout.paneRows
    let library = state.shownLibrary(model)
    guard !state.areDetailsShown, let selected = state.library.index(in: library) else {
      return []
    }
    let index = state.library.firstVisible(in: library, rows: rows.height) + point.row - rows.row
    guard library.entries.indices.contains(index) else { return [] }
    if index == selected { return openSelected(model) }
    state.library.select(index, in: library)
    return []
  }

  mutating func scrollChat(_ lines: Int, _ layout: ScreenLayout, _ model: ScreenModel) {
    let maximum = ChatView.maximumScroll(
      model.chat, mark: state.unread.mark, in: layout.chatRows)
    state.chatScroll = min(max(0, state.chatScroll + lines), maximum)
  }
}
