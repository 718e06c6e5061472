/// The rows above the hints: the participants that the group waits for, the latest message, and the state line.
struct NoticeView: Hashable, Sendable {
  var model: ScreenModel
  var state: ScreenState
  var keyMap: KeyMap

  func draw(in area: Rect, on canvas: inout Canvas) {
    var room = area.inset(columns: 1, rows: 0)
    if !room.isEmpty, let line = Self.stateLine(model, state, keyMap, canvas.symbols) {
      canvas.draw(line.line(width: room.width), in: room.takeBottom(1))
    }
    var lines = Self.lines(model, state, width: room.width)
    if lines.count > room.height, room.height > 0 {
      // The omitted part is the end of a message; the sign says that there was more.
      lines = Array(lines.prefix(room.height))
      let last = lines[room.height - 1]
      if let span = last.message.spans.last, last.waiting == nil {
        let text = span.text.prefix(columns: room.width - 1)
        lines[room.height - 1].message = StyledLine(
          text + TerminalText(glyphs: [canvas.symbols.ellipsis]), span.style)
      }
    }
    for line in lines {
      let row = room.takeTop(1)
      if let waiting = line.waiting {
        Self.drawWaiting(waiting, in: row, on: &canvas)
      } else {
        canvas.draw(line.message, in: row)
      }
    }
  }

  /// One row: the waiting notice, or a part of a message.
  struct Line: Hashable, Sendable {
    var waiting: WaitingModel?
    var message = StyledLine()
  }

  /// Returns the number of rows that would show everything, at most ``ScreenLayout/maximumNoticeRows`` for news.
  ///
  /// - Parameter width: columns of a row.
  static func wantedRows(_ model: ScreenModel, _ state: ScreenState, width: Int) -> Int {
    min(lines(model, state, width: width).count, ScreenLayout.maximumNoticeRows)
      + (hasStateLine(model, state) ? 1 : 0)
  }

  static func hasStateLine(_ model: ScreenModel, _ state: ScreenState) -> Bool {
    state.participantState(model) != nil
  }

  static func stateLine(
    _ model: ScreenModel, _ state: ScreenState, _ keyMap: KeyMap, _ symbols: GlyphSet
  ) -> StateLine? {
    StateLine(model, state, keyMap: keyMap, symbols)
  }

  /// Returns the rows of the notices.
  ///
  /// - Parameter width: columns of a row.
  static func lines(_ model: ScreenModel, _ state: ScreenState, width: Int) -> [Line] {
    var lines: [Line] = []
    if let waiting = model.waiting { lines.append(Line(waiting: waiting)) }
    if let candidates = state.prompt?.candidates {
      lines += candidates.asLeftToRight.wrapped(to: width).map {
        Line(message: StyledLine($0, .quiet))
      }
    } else if let complaint = state.prompt?.complaint {
      // The answer to the last typed line comes before older news.
      lines += complaint.asLeftToRight.wrapped(to: width).map {
        Line(message: StyledLine($0, .caution))
      }
    } else if let message = model.message, !message.text.isEmpty {
      let style: Style =
        switch message.severity {
        case .information: .plain
        case .warning: .caution
        case .error: .trouble
        }
      lines += message.text.asLeftToRight.wrapped(to: width).map {
        Line(message: StyledLine($0, style))
      }
    }
    return lines
  }

  private static func drawWaiting(_ waiting: WaitingModel, in row: Rect, on canvas: inout Canvas) {
    let names = waiting.waitingFor
    let (left, short) = (waiting.left(), waiting.left(isShort: true))
    var candidates: [TerminalText] = []
    if let first = names.first {
      let others = names.count - 1
      var all = first
      for name in names.dropFirst() { all = all + ", " + name }
      candidates.append("Waiting for " + all + left)
      if others > 0 {
        let more: TerminalText = others == 1 ? " and 1 other" : " and \(others) others"
        candidates.append("Waiting for " + first + more + left)
        candidates.append("Waiting for \(names.count) people" + left)
        candidates.append("Waiting for \(names.count)" + short)
      } else {
        candidates.append("Waiting for " + first + short)
      }
    }
    // The names of the participants matter more than the purpose of the key.
    var key = StyledLine("p", .key).adding(" start anyway", .quiet)
    let named = candidates.map(\.width).min() ?? 0
    if named + 2 + key.width > row.width { key = StyledLine("p", .key).adding(" start", .quiet) }
    canvas.draw(
      key, in: Rect(column: row.endColumn - key.width, row: row.row, width: key.width, height: 1))
    candidates.append("Waiting" + left)
    candidates.append("Waiting" + short)
    let room = row.width - key.width - 2
    canvas.draw(
      TerminalText.longest(fitting: room, of: candidates),
      in: Rect(column: row.column, row: row.row, width: room, height: 1), style: .caution)
  }
}

/// The notice that there is no room for a screen.
enum TooSmallView {
  static func draw(on canvas: inout Canvas) {
    let area = canvas.bounds
    guard !area.isEmpty else { return }
    let smallest = ScreenSize.smallestCompact
    let times = TerminalText(glyphs: [canvas.symbols.times])
    let needed = TerminalText("\(smallest.columns)") + times + "\(smallest.rows)"
    let text = TerminalText.longest(
      fitting: area.width,
      of: ["Terminal too small: at least " + needed + " cells", "Needs " + needed, needed])
    canvas.drawCentered(text, in: area.line(area.height / 2), style: .strong)
  }
}
