import Timekeeping

/// The card in the main pane: the item, its position, and the activity of the group.
struct NowPlayingView: Hashable, Sendable {
  var model: ScreenModel
  var scrub: MediaTime?

  /// A part of the card, with its rows and the blank rows above it.
  private enum Block {
    case lines([StyledLine], gap: Int)
    case clock(BigText, gap: Int)

    var gap: Int {
      switch self {
      case .lines(_, let gap), .clock(_, let gap): gap
      }
    }

    var height: Int {
      switch self {
      case .lines(let lines, _): lines.count
      case .clock(let clock, _): clock.height
      }
    }
  }

  func draw(in area: Rect, on canvas: inout Canvas) {
    let blocks = blocks(in: area, canvas.symbols)
    let height = blocks.enumerated().reduce(0) {
      $0 + $1.element.height + ($1.offset == 0 ? 0 : $1.element.gap)
    }
    var row = area.row + max(0, (area.height - height) / 2)
    for (index, block) in blocks.enumerated() {
      if index > 0 { row += block.gap }
      switch block {
      case .lines(let lines, _):
        for (offset, line) in lines.enumerated() where row + offset < area.endRow {
          canvas.drawCentered(
            line, in: Rect(column: area.column, row: row + offset, width: area.width, height: 1))
        }
      case .clock(let clock, _):
        clock.draw(
          centeredIn: Rect(column: area.column, row: row, width: area.width, height: clock.height),
          style: .accent, on: &canvas)
      }
      row += block.height
    }
  }

  /// Returns the most important parts that fit, in the order to show.
  private func blocks(in area: Rect, _ symbols: GlyphSet) -> [Block] {
    guard let item = model.item else { return emptyBlocks() }
    var title = item.title.wrapped(to: area.width).map { StyledLine($0, .strong) }
    if title.count > 2 {
      title = [
        title[0],
        StyledLine(
          item.title.wrapped(to: area.width).dropFirst().reduce(TerminalText.empty) {
            $0 + $1 + " "
          }.clipped(to: area.width, with: symbols.ellipsis), .strong),
      ]
    }
    if area.height < 4 {
      title = [StyledLine(item.title.clipped(to: area.width, with: symbols.ellipsis), .strong)]
    }
    let subtitle =
      item.subtitle.isEmpty
      ? nil : StyledLine(item.subtitle.clipped(to: area.width, with: symbols.ellipsis), .quiet)
    let state = stateLines(width: area.width, symbols)
    let details = detailLines(item.details, width: area.width, symbols)

    var room = area.height - title.count - state.count
    var clock: Block?
    let time = TimeText.clock(
      scrub ?? model.transport.itemTime,
      longest: max(model.transport.itemTime, model.transport.duration ?? .zero))
    let isLarge = area.width >= 64 && room >= 13
    let bigText = BigText(
      time, scale: symbols.isUnicode ? (isLarge ? .large : .small) : .ascii)
    // One blank row above and below it, two if there is room.
    let air = room >= bigText.height + 6 ? 2 : 1
    if bigText.width <= area.width, room >= bigText.height + 2 * air {
      clock = .clock(bigText, gap: air)
      room -= bigText.height + 2 * air
    }
    var head = title
    if let subtitle, room >= 1 {
      head.append(subtitle)
      room -= 1
    }
    var blocks: [Block] = [.lines(head, gap: 0)]
    if let clock { blocks.append(clock) }
    blocks.append(.lines(state, gap: clock == nil ? (room >= 1 ? 1 : 0) : air))
    if clock == nil, room >= 1 { room -= 1 }
    let detailGap = room >= details.count + 3 ? 2 : 1
    let shown = Array(details.prefix(max(0, room - detailGap)))
    if !shown.isEmpty { blocks.append(.lines(shown, gap: detailGap)) }
    return blocks
  }

  private func emptyBlocks() -> [Block] {
    [
      .lines([StyledLine("Nothing open", .strong)], gap: 0),
      .lines(
        [
          StyledLine("o", .key).adding("  choose from the library  ", .quiet),
          StyledLine("u", .key).adding("  open a URL or file", .quiet),
        ], gap: 1),
    ]
  }

  private func stateLines(width: Int, _ symbols: GlyphSet) -> [StyledLine] {
    let ellipsis = TerminalText(glyphs: [symbols.ellipsis])
    let together = model.roster.count { !$0.isSelf && $0.state == .ready }
    let text: TerminalText
    var style = Style.plain
    switch model.transport.status {
    case .empty: text = "nothing open"
    case .opening: text = "opening" + ellipsis
    case .playing:
      text =
        together == 0
        ? "playing"
        : together == 1 ? "playing in sync with 1 other" : "playing in sync with \(together) others"
      style = .good
    case .paused: text = model.roster.count > 1 ? "paused for everyone" : "paused"
    case .waiting:
      text = "waiting to start together" + ellipsis
      style = .caution
    case .buffering:
      text = "buffering" + ellipsis
      style = .caution
    case .ended: text = "the end"
    case .suspended(let reason):
      text = reason
      style = .caution
    }
    var lines = text.wrapped(to: width)
    if lines.count > 3 {
      let rest = lines[2...].reduce(TerminalText.empty) { $0 + $1 + " " }
      lines = [lines[0], lines[1], rest.clipped(to: width, with: symbols.ellipsis)]
    }
    return lines.map { StyledLine($0, style) }
  }

  /// Returns the facts with right-aligned names, as one block in the middle.
  private func detailLines(_ details: [ItemModel.Detail], width: Int, _ symbols: GlyphSet)
    -> [StyledLine]
  {
    let nameWidth = min(details.map(\.name.width).max() ?? 0, width / 3)
    let valueWidth = min(details.map(\.value.width).max() ?? 0, width - nameWidth - 2)
    guard valueWidth > 3 else { return [] }
    return details.map { detail in
      let name = detail.name.clipped(to: nameWidth, with: symbols.ellipsis)
      let value = detail.value.clipped(to: valueWidth, with: symbols.ellipsis)
      return StyledLine(TerminalText.blanks(nameWidth - name.width) + name, .quiet)
        .adding("  ").adding(value + TerminalText.blanks(valueWidth - value.width))
    }
  }
}

extension TerminalText {
  static func blanks(_ count: Int) -> TerminalText {
    TerminalText(glyphs: repeatElement(.space, count: max(0, count)))
  }
}
