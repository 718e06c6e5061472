import Timekeeping

/// The page about synchronization: the last minutes as curves, and the numbers of all participants.
struct SyncView: Hashable, Sendable {
  /// The data; nil until the application has provided them.
  var sync: SyncModel?
  /// The latest message, shown here too, because the page covers its usual row.
  var message: MessageModel?

  /// The least height of the page that has room for a sentence about the curves.
  private static let leastHeightForSentence = 30
  /// The smallest useful height of a plot, in rows.
  private static let leastPlot = 2
  private static let spans: [(span: Duration, left: TerminalText, middle: TerminalText)] = [
    (.seconds(60), "1 min ago", "30 s"), (.seconds(120), "2 min ago", "1 min"),
    (.seconds(300), "5 min ago", "2 1/2 min"),
  ]

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let box = Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
    let latency = sync?.latencyOffset ?? .zero
    let title: TerminalText =
      latency == .zero
      ? "Sync" : "Sync, latency offset " + TimeText.difference(latency, symbols)
    canvas.drawFrame(box, title: title, style: .accent)
    var inside = box.inset(columns: 2, rows: 1)
    if let message {
      let style: Style =
        switch message.severity {
        case .information: .plain
        case .warning: .caution
        case .error: .trouble
        }
      canvas.draw(
        message.text.clipped(to: inside.width, with: symbols.ellipsis), in: inside.takeBottom(1),
        style: style)
    }
    let sync = sync ?? SyncModel()
    let (others, perRow) = rows(of: sync.others, width: inside.width, symbols)
    let shown = min(others.count, max(1, inside.height / 5))
    for row in others.prefix(shown).reversed() { canvas.draw(row, in: inside.takeBottom(1)) }
    let hidden = max(0, sync.others.count - shown * perRow)
    canvas.drawRule(
      box.line(box.height - 1), title: hidden > 0 ? "and \(hidden) more" : .empty,
      trailing: "esc close", left: symbols.frame.bottomLeft, right: symbols.frame.bottomRight,
      style: .accent)
    guard sync.samples.contains(where: { $0.error != nil }) else {
      return drawNothing(in: inside, on: &canvas)
    }
    if box.height >= Self.leastHeightForSentence, sync.clock != .alone,
      let error = sync.samples.last(where: { $0.error != nil })?.error
    {
      let state = TimeText.apartness(error, symbols)[0]
      let rule: TerminalText = ". Less than \(TimeText.noticeable) ms goes unnoticed."
      canvas.draw("You are " + state + rule, in: inside.takeTop(1))
    }
    drawCharts(sync, in: inside, on: &canvas)
  }

  private func drawNothing(in area: Rect, on canvas: inout Canvas) {
    let lines = TerminalText("Nothing measured yet. Measuring starts with playback.")
      .wrapped(to: area.width)
    var rows = area.centered(width: area.width, height: lines.count)
    for line in lines { canvas.drawCentered(line, in: rows.takeTop(1), style: .quiet) }
  }

  // MARK: - The curves

  private func drawCharts(_ sync: SyncModel, in area: Rect, on canvas: inout Canvas) {
    let charts = Self.charts(sync)
    let titleWidth = charts.map(\.title.width).max() ?? 0
    let end = sync.samples.map(\.time).max() ?? HostTime(nanoseconds: 0)
    let oldest = sync.samples.map(\.time).min() ?? end
    let scale =
      Self.spans.first { end - oldest <= $0.span } ?? Self.spans[Self.spans.count - 1]

    var rows = area
    let clock = Self.clockNote(sync.clock)
    let clockRow = clock == nil ? rows.takeBottom(0) : rows.takeBottom(1)
    let axis = rows.takeBottom(1)
    var heights = Self.plotHeights(count: charts.count, rows: rows.height - charts.count)[...]
    for chart in charts {
      chart.drawNumbers(titleWidth: titleWidth, in: rows.takeTop(1), on: &canvas)
      let plot = rows.takeTop(heights.popFirst() ?? 0)
      chart.drawPlot(until: end, span: scale.span, in: plot, on: &canvas)
    }
    if let clock { canvas.draw(clock, in: clockRow, style: .quiet) }
    drawAxis(
      scale.left, scale.middle,
      events: sync.samples.filter(\.isEvent).map { (end - $0.time) / scale.span },
      in: axis, on: &canvas)
  }

  private static func charts(_ sync: SyncModel) -> [SyncChart] {
    func points(
      _ value: (SyncModel.Sample) -> Double?, spread: (SyncModel.Sample) -> Double? = { _ in nil }
    ) -> [SyncChart.Point] {
      sync.samples.compactMap { sample in
        value(sample).map { SyncChart.Point(time: sample.time, value: $0, spread: spread(sample)) }
      }
    }
    var charts = [
      SyncChart(
        title: "error, mpv", quantity: .difference,
        points: points(
          { $0.error?.inMilliseconds }, spread: { $0.uncertainty?.inMilliseconds })),
      SyncChart(
        title: "speed correction", quantity: .percent,
        points: points { $0.nudge.map { ($0 - 1) * 100 } }),
    ]
    guard sync.clock == .measured else { return charts }
    charts += [
      SyncChart(
        title: "round trip", quantity: .duration,
        points: points { $0.roundTrip?.inMilliseconds }),
      SyncChart(
        title: "clock uncertainty", quantity: .duration,
        points: points { $0.clockUncertainty?.inMilliseconds }),
    ]
    return charts
  }

  private static func clockNote(_ clock: SyncModel.Clock) -> TerminalText? {
    switch clock {
    case .measured: nil
    case .own: "Reference clock: this computer"
    case .alone: "Reference clock: this computer"
    }
  }

  /// Returns the number of rows of each plot: the error's has twice as many as the others. Plots that would be too
  /// small are left out.
  static func plotHeights(count: Int, rows: Int) -> [Int] {
    for plots in stride(from: count, through: 1, by: -1) {
      let share = rows / (plots + 1)
      guard plots == 1 || share >= leastPlot else { continue }
      guard rows > 0 else { break }
      let lesser = plots == 1 ? 0 : share
      return [rows - lesser * (plots - 1)] + Array(repeating: lesser, count: plots - 1)
        + Array(repeating: 0, count: count - plots)
    }
    return Array(repeating: 0, count: count)
  }

  /// Draws the time axis.
  ///
  /// - Parameter events: the ages of the events as fractions of the axis.
  private func drawAxis(
    _ left: TerminalText, _ middle: TerminalText, events: [Double], in row: Rect,
    on canvas: inout Canvas
  ) {
    var line = row
    line.column += SyncChart.scaleWidth
    line.width -= SyncChart.scaleWidth
    canvas.fill(line, with: canvas.symbols.frame.horizontal, style: .quiet)
    let columns = events.filter { (0...1).contains($0) }.map { age in
      line.column + Int(((1 - age) * Double(line.width - 1)).rounded())
    }
    for column in columns {
      canvas.fill(
        Rect(column: column, row: line.row, width: 1, height: 1), with: canvas.symbols.bar.chapter,
        style: .caution)
    }
    canvas.draw(left + " ", in: line, style: .quiet)
    let centre = line.centered(width: middle.width + 2, height: 1)
    // The marks of events are more important than the middle's label.
    if line.width >= left.width + middle.width + 10,
      !columns.contains(where: { (centre.column..<centre.endColumn).contains($0) })
    {
      canvas.drawCentered(" " + middle + " ", in: line, style: .quiet)
    }
    canvas.drawTrailing(" now", in: line, style: .quiet)
  }

  // MARK: - The others

  /// Returns "Ben −1.1 ±0.3 ms   Chi not measured": in columns, numbers always whole.
  ///
  /// - Returns: the rows, and the number of participants in each.
  private func rows(
    of others: [SyncModel.Other], width: Int, _ symbols: GlyphSet
  ) -> ([StyledLine], perRow: Int) {
    let numbers = others.map { other -> TerminalText in
      guard let error = other.error else { return "not measured" }
      return TimeText.measurement(error, other.uncertainty, symbols)[0]
    }
    let numberWidth = numbers.map(\.width).max() ?? 0
    let nameWidth = min(
      others.map(\.name.width).max() ?? 0, max(4, min(16, width - numberWidth - 1)))
    let cellWidth = nameWidth + 1 + numberWidth
    guard cellWidth > 0, !others.isEmpty else { return ([], 1) }
    let perRow = max(1, (width + 3) / (cellWidth + 3))
    var rows: [StyledLine] = []
    for start in stride(from: 0, to: others.count, by: perRow) {
      var row = StyledLine()
      for index in start..<min(start + perRow, others.count) {
        let name = others[index].name.clipped(to: nameWidth, with: symbols.ellipsis)
        if index > start { row.add("   ") }
        row.add(name + TerminalText.blanks(nameWidth - name.width + 1))
        row.add(
          TerminalText.blanks(numberWidth - numbers[index].width) + numbers[index], .quiet)
      }
      rows.append(row)
    }
    return (rows, perRow)
  }
}
