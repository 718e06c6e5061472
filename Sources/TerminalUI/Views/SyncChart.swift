import Timekeeping

/// One curve of the page about synchronization: its numbers in a line, and the plot below.
struct SyncChart: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var time: HostTime
    var value: Double
    /// The value's possible error, in either direction.
    var spread: Double?
  }

  /// The quantity of the numbers, which decides their form.
  enum Quantity: Hashable, Sendable {
    /// Milliseconds in either direction.
    case difference
    /// Milliseconds from zero on.
    case duration
    /// The change of the speed in per cent.
    case percent

    /// The smallest range of the axis, so that noise doesn't look like an event.
    fileprivate var leastBound: Double {
      switch self {
      case .difference, .duration: 1
      case .percent: 0.1
      }
    }

    fileprivate var isSigned: Bool { self != .duration }

    func text(_ value: Double, _ symbols: GlyphSet) -> TerminalText {
      switch self {
      case .difference: TimeText.difference(Duration(clampingSeconds: value / 1000), symbols)
      case .duration: TimeText.amount(Duration(clampingSeconds: value / 1000))
      case .percent: TimeText.percent(value, symbols)
      }
    }
  }

  var title: TerminalText
  var quantity: Quantity
  /// The points, approximately oldest first.
  var points: [Point]

  // MARK: - The numbers

  /// Draws "error  +0.4 ±0.3 ms   −1.2 ms to +0.8 ms", as much of it as there is room for.
  func drawNumbers(titleWidth: Int, in row: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let title = self.title + TerminalText.blanks(titleWidth - self.title.width)
    var line = StyledLine(title, .strong)
    guard let newest = points.last else {
      canvas.draw(line.adding("  nothing measured", .quiet), in: row)
      return
    }
    let now =
      quantity == .difference
      ? TerminalText.longest(
        fitting: row.width - title.width - 2,
        of: TimeText.measurement(
          Duration(clampingSeconds: newest.value / 1000),
          newest.spread.map { Duration(clampingSeconds: $0 / 1000) }, symbols))
      : quantity.text(newest.value, symbols)
    line.add("  ")
    line.add(now, .accent)
    let (least, most) = points.reduce((newest.value, newest.value)) {
      (min($0.0, $1.value), max($0.1, $1.value))
    }
    let range = quantity.text(least, symbols) + " to " + quantity.text(most, symbols)
    if line.width + 3 + range.width <= row.width { line.add("   " + range, .quiet) }
    canvas.draw(line, in: row)
  }

  // MARK: - The plot

  /// The columns left of the plot, for the values of its upper and lower ends.
  static let scaleWidth = 9

  /// Draws the plot.
  ///
  /// - Parameters:
  ///   - end: the time at the right edge.
  ///   - span: the time from the left edge to the right one.
  func drawPlot(until end: HostTime, span: Duration, in area: Rect, on canvas: inout Canvas) {
    guard area.width > Self.scaleWidth, area.height > 0 else { return }
    let symbols = canvas.symbols
    var plot = area
    plot.column += Self.scaleWidth
    plot.width -= Self.scaleWidth
    let bound = self.bound
    let low = quantity.isSigned ? -bound : 0
    var scale = area
    scale.width = Self.scaleWidth - 1
    canvas.drawTrailing(quantity.text(bound, symbols), in: scale.line(0), style: .quiet)
    if area.height > 1 {
      canvas.drawTrailing(
        quantity.text(low, symbols), in: scale.line(area.height - 1), style: .quiet)
    }
    var raster = SyncRaster(
      width: plot.width, height: plot.height, low: low, high: bound, isFine: symbols.isUnicode)
    for point in points {
      let age = (end - point.time).inSeconds / span.inSeconds
      raster.add(point.value, spread: point.spread ?? 0, age: age)
    }
    if quantity.isSigned { raster.addZeroLine() }
    raster.draw(in: plot, on: &canvas)
  }

  /// The value at the plot's upper end: nearly all of the points lie below it, so that one outlier doesn't flatten the
  /// curve of the others.
  private var bound: Double {
    let sizes = points.map { abs($0.value) }.sorted()
    guard let most = sizes.last else { return quantity.leastBound }
    let usual = sizes[(sizes.count - 1) * 9 / 10]
    return Self.round(max(quantity.leastBound, min(most, usual * 2)))
  }

  /// Returns the next of 1, 2, 5, 10, 20, … that isn't smaller.
  static func round(_ value: Double) -> Double {
    var step = 0.001
    while step < 1e9 {
      for factor in [1.0, 2, 5] where step * factor >= value * 0.999_999 { return step * factor }
      step *= 10
    }
    return step
  }
}
