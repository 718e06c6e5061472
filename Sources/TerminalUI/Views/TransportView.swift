import Timekeeping

/// The line with the position, the bar, the duration and the rate.
struct TransportView: Hashable, Sendable {
  var transport: TransportModel
  /// The position to which the playhead is being dragged.
  var scrub: MediaTime?

  /// The parts around the bar, which has the remaining room.
  private struct Parts {
    var position: TerminalText
    var duration: TerminalText
    var trailing: TerminalText
    /// The columns of the times, which the digits of a running clock don't change.
    var timeWidth: Int
  }

  private static func parts(_ transport: TransportModel, scrub: MediaTime?, _ symbols: GlyphSet)
    -> Parts
  {
    let itemTime = scrub ?? transport.itemTime
    let longest = max(itemTime, transport.duration ?? .zero)
    let duration = transport.duration.map { TimeText.clock($0, longest: longest) } ?? "-:--"
    let position = TimeText.clock(itemTime, longest: longest)
    var trailing = TimeText.rate(transport.rate) + TerminalText(glyphs: [symbols.times])
    if transport.isMuted {
      trailing = trailing + " muted"
    } else if transport.ducking.isOn {
      trailing = trailing + (transport.ducking.isLowered ? " lowered" : " duck")
    }
    return Parts(
      position: position, duration: duration, trailing: trailing,
      timeWidth: max(position.width, duration.width))
  }

  /// Returns the area of the bar itself, for drawing it and for the mouse.
  static func barArea(in area: Rect, _ transport: TransportModel) -> Rect {
    // The symbols' widths are the same in every set.
    barArea(in: area, parts(transport, scrub: nil, .unicode))
  }

  private static func barArea(in area: Rect, _ parts: Parts) -> Rect {
    let start = area.column + 3 + parts.timeWidth + 1
    let end = area.endColumn - 1 - parts.trailing.width - 1 - parts.timeWidth - 1
    return Rect(column: start, row: area.row, width: end - start, height: 1)
  }

  /// Draws the line; without a film there is no position, and the line is empty.
  func draw(in area: Rect, on canvas: inout Canvas) {
    if transport.status == .empty { return }
    let symbols = canvas.symbols
    let parts = Self.parts(transport, scrub: scrub, symbols)
    let bar = Self.barArea(in: area, parts)
    let sign = status(symbols)
    var inside = area
    inside.column += 1
    inside.width -= 2
    canvas.draw(TerminalText(glyphs: [sign.glyph]), in: inside, style: sign.style)
    inside.column += 2
    inside.width = parts.timeWidth
    canvas.drawTrailing(
      parts.position, in: inside,
      style: scrub == nil ? .strong : Style(role: .accent, attributes: .bold))
    drawBar(in: bar, on: &canvas)
    inside.column = bar.endColumn + 1
    canvas.draw(parts.duration, in: inside, style: .quiet)
    inside.column += parts.timeWidth + 1
    inside.width = parts.trailing.width
    canvas.draw(parts.trailing, in: inside, style: transport.rate == 1 ? .quiet : .caution)
  }

  private func status(_ symbols: GlyphSet) -> (glyph: Glyph, style: Style) {
    switch transport.status {
    case .playing: (symbols.playing, .good)
    case .paused: (symbols.paused, .strong)
    case .empty, .ended: (symbols.stopped, .quiet)
    case .opening, .buffering, .waiting: (symbols.preparing, .caution)
    case .suspended: (symbols.away, .caution)
    }
  }

  private func drawBar(in bar: Rect, on canvas: inout Canvas) {
    guard bar.width > 1 else { return }
    let symbols = canvas.symbols
    canvas.fill(bar, with: symbols.bar.missing, style: .quiet)
    guard let duration = transport.duration, duration > .zero else { return }
    func cell(_ column: Int) -> Rect {
      Rect(column: bar.column + column, row: bar.row, width: 1, height: 1)
    }
    /// Returns the column of a time.
    func column(_ time: MediaTime) -> Int {
      let fraction = min(max(0, time.seconds / duration.seconds), 1)
      return Int((fraction * Double(bar.width - 1)).rounded())
    }
    for range in transport.buffered where range.upperBound > .zero && range.lowerBound < duration {
      let first = column(range.lowerBound)
      var stretch = cell(first)
      stretch.width = column(range.upperBound) - first + 1
      canvas.fill(stretch, with: symbols.bar.buffered, style: .quiet)
    }
    let playhead = column(scrub ?? transport.itemTime)
    var played = cell(0)
    played.width = playhead
    canvas.fill(played, with: symbols.bar.played, style: .accent)
    for chapter in transport.chapters where chapter > .zero && chapter < duration {
      let column = column(chapter)
      canvas.fill(
        cell(column), with: symbols.bar.chapter, style: column < playhead ? .accent : .quiet)
    }
    canvas.fill(cell(playhead), with: symbols.bar.playhead, style: .key)
  }
}
