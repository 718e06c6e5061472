import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The page about synchronization")
struct SyncViewTests {
  private func picture(
    _ sync: SyncModel?, _ columns: Int, _ rows: Int, symbols: GlyphSet = .unicode,
    message: MessageModel? = nil
  ) -> [String] {
    var model = Samples.playing
    model.sync = sync
    model.message = message
    var state = ScreenState()
    state.overlay = .sync
    return ScreenView(model: model, state: state)
      .canvas(size: ScreenSize(columns: columns, rows: rows), symbols: symbols).text
  }

  private func time(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  @Test("A drift with a correction and a seek, at 80×24")
  func curves() { #expect(picture(Samples.sync, 80, 24) == Snapshots.sync80x24) }

  @Test("The same in ASCII")
  func ascii() {
    #expect(picture(Samples.sync, 80, 24, symbols: .ascii) == Snapshots.syncASCII80x24)
  }

  @Test("The smallest screen has the numbers and one curve, at 40×10")
  func smallest() { #expect(picture(Samples.sync, 40, 10) == Snapshots.sync40x10) }

  @Test(
    "Every number is whole at every size",
    arguments: [(40, 10), (40, 12), (55, 15), (80, 24), (120, 40), (300, 100)])
  func numbers(columns: Int, rows: Int) {
    let text = picture(Samples.sync, columns, rows).joined(separator: "\n")
    for number in [
      "error, mpv         +0.1 ±0.7 ms", "speed correction   0.00 %", "round trip         0.9 ms",
      "clock uncertainty  0.9 ms",
      "Ben −1.1 ±0.3 ms", "Chi not measured", "2 min ago", "now", "esc close",
    ] {
      #expect(text.contains(number), "\(number) at \(columns)×\(rows)\n\(text)")
    }
    #expect(text.contains("−3.8 ms to +4.0 ms") == (columns > 55))
  }

  @Test("A large page says in words what the curves mean")
  func sentence() {
    let words = "You are in sync. Less than 50 ms goes unnoticed."
    #expect(picture(Samples.sync, 80, 30)[1].contains(words))
    #expect(!picture(Samples.sync, 80, 29).joined().contains(words))
  }

  @Test("Without a measurement it says so, and still lists the others")
  func nothing() {
    for sync in [nil, SyncModel(), SyncModel(samples: [.init(time: time(0), isEvent: true)])] {
      let text = picture(sync, 80, 24).joined()
      #expect(text.contains("Nothing measured yet"))
      #expect(!text.contains("round trip"))
    }
    let others = SyncModel(others: [.init(name: "Ben", error: .milliseconds(2))])
    #expect(picture(others, 40, 10).joined().contains("Ben +2.0 ms"))
  }

  @Test("Participants without room are counted")
  func crowd() {
    var sync = Samples.sync
    sync.others = (1...20).map { .init(name: "Guest \($0)", error: .milliseconds($0)) }
    #expect(picture(sync, 40, 10).joined().contains("and 18 more"))
    #expect(picture(sync, 300, 100).joined().contains("Guest 20  +20 ms"))
  }

  @Test("A clock that isn't measured has no curves")
  func clocks() {
    var sync = Samples.sync
    sync.clock = .own
    let own = picture(sync, 80, 24).joined()
    #expect(own.contains("Reference clock: this computer") && !own.contains("round trip"))
    sync.clock = .alone
    #expect(picture(sync, 80, 24).joined().contains("Reference clock: this computer"))
  }

  @Test("It is drawn again only after a change of its contents")
  func redrawing() {
    var state = ScreenState()
    var old = Samples.playing
    old.sync = Samples.sync
    var new = old
    new.transport.itemTime = MediaTime(seconds: 999)
    new.roster = []
    #expect(!state.covers(new, after: old))
    state.overlay = .sync
    #expect(state.covers(new, after: old))
    let size = ScreenSize(columns: 80, rows: 24)
    #expect(
      ScreenView(model: new, state: state).canvas(size: size, symbols: .unicode)
        == ScreenView(model: old, state: state).canvas(size: size, symbols: .unicode))
    var changes: [ScreenModel] = [old, old, old]
    changes[0].sync?.samples.removeLast()
    changes[1].message = MessageModel("something")
    // The terminal's title depends on it.
    changes[2].item?.title = "Another"
    for change in changes { #expect(!state.covers(change, after: old)) }
  }

  @Test("It shows the delay of a late output")
  func latency() {
    var sync = Samples.sync
    #expect(!picture(sync, 40, 10).joined().contains("latency"))
    sync.latencyOffset = .milliseconds(180)
    #expect(picture(sync, 40, 10)[0].contains(" Sync, latency offset +180 ms "))
  }

  @Test("It shows messages that arrive while it is open")
  func message() {
    let text = picture(Samples.sync, 40, 10, message: MessageModel("latency offset +180 ms"))
    #expect(text.joined().contains("latency offset +180 ms"))
  }

  @Test("The axis is as long as the samples, at most five minutes")
  func span() {
    func axis(_ seconds: Double) -> String {
      let samples = [0, seconds].map { SyncModel.Sample(time: time($0), error: .zero) }
      return picture(SyncModel(samples: samples), 80, 24).joined()
    }
    #expect(axis(10).contains("1 min ago"))
    #expect(axis(61).contains("2 min ago"))
    #expect(axis(299).contains("5 min ago"))
    #expect(axis(2000).contains("5 min ago"))
  }

  @Test("An outlier doesn't flatten the other points, and is shown at the edge")
  func scale() {
    var points = (0..<100).map { SyncChart.Point(time: time(Double($0)), value: 1.5) }
    points[50].value = 500
    let chart = SyncChart(title: "x", quantity: .difference, points: points)
    var canvas = Canvas(size: ScreenSize(columns: 59, rows: 4))
    chart.drawPlot(until: time(99), span: .seconds(99), in: canvas.bounds, on: &canvas)
    #expect(canvas.text[0].hasPrefix(" +5.0 ms "))
    #expect(canvas.text[3].hasPrefix(" −5.0 ms "))
    // The outlier is the only point in the upper row.
    #expect(canvas.text[0].dropFirst(9).count { $0 != " " } == 1)
    #expect(canvas.text[1].dropFirst(9).count { $0 != " " } >= 49)
  }

  @Test("Scales end at round numbers")
  func bounds() {
    #expect(
      [0.0011, 0.9, 1, 1.1, 2, 4, 7, 11, 3000].map(SyncChart.round) == [
        0.002, 1, 1, 2, 2, 5, 10, 20, 5000,
      ])
  }

  @Test("Dots are where the values are, and a gap stays empty")
  func dots() {
    func drawn(isFine: Bool, _ points: [(Double, age: Double)]) -> [String] {
      var raster = SyncRaster(width: 4, height: 1, low: 0, high: 3, isFine: isFine)
      for point in points { raster.add(point.0, spread: 0, age: point.age) }
      var canvas = Canvas(
        size: ScreenSize(columns: 4, rows: 1), symbols: isFine ? .unicode : .ascii)
      raster.draw(in: canvas.bounds, on: &canvas)
      return canvas.text
    }
    #expect(drawn(isFine: true, [(0, 1), (1, 6.0 / 7), (2, 1.0 / 7), (3, 0)]) == ["⡠  ⠊"])
    #expect(drawn(isFine: true, [(99, 1), (-99, 0)]) == ["⠁  ⢀"])
    #expect(drawn(isFine: false, [(0, 1), (3, 0), (0, 0)]) == [".  :"])
    #expect(drawn(isFine: true, [(1, 1.01), (1, -0.01), (.nan, 2)]) == ["    "])
  }

  @Test("Plots share the rows: the error has most, and plots that are too small are left out")
  func heights() {
    #expect(SyncView.plotHeights(count: 4, rows: 15) == [6, 3, 3, 3])
    #expect(SyncView.plotHeights(count: 4, rows: 8) == [4, 2, 2, 0])
    #expect(SyncView.plotHeights(count: 4, rows: 2) == [2, 0, 0, 0])
    #expect(SyncView.plotHeights(count: 4, rows: 0) == [0, 0, 0, 0])
    #expect(SyncView.plotHeights(count: 2, rows: -1) == [0, 0])
  }
}
