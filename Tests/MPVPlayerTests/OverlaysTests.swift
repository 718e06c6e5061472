import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Overlays over the picture")
struct OverlaysTests {
  private func shape(_ width: Double, _ height: Double, bar: Double = 0) -> WindowShape {
    WindowShape(
      .map([
        "w": .double(width), "h": .double(height), "mt": .double(bar), "mb": .double(bar),
      ]))
  }
  private let line = PictureLine(color: 0xFF0000, points: [.init(x: 0, y: 0), .init(x: 1, y: 1)])

  @Test("Only changes are drawn, and only in a window")
  func changes() {
    var overlays = Overlays()
    let isNew = [overlays.linesChanged([line]), overlays.linesChanged([line])]
    #expect(isNew == [true, false])
    let hidden = overlays.changes(isWindow: true, hasSubtitles: false)
    #expect(hidden.isEmpty, "there is no window yet")
    let isOther = [
      overlays.windowChanged(shape(640, 360)), overlays.windowChanged(shape(640, 360)),
    ]
    #expect(isOther == [true, false])
    let drawn = overlays.changes(isWindow: true, hasSubtitles: false)
    #expect(drawn.map(\.number) == [7] && drawn[0].overlay.width == 640)
    let again = overlays.changes(isWindow: true, hasSubtitles: false)
    #expect(again.isEmpty)
    let removed = overlays.changes(isWindow: false, hasSubtitles: false)
    #expect(removed.map(\.overlay.events) == [""])
  }

  @Test("Text moves up for subtitles")
  func text() {
    var overlays = Overlays()
    _ = overlays.windowChanged(shape(640, 360))
    var text = WindowText()
    text.lines = [WindowText.Line(text: "hello")]
    let isNew = [overlays.textChanged(text), overlays.textChanged(text)]
    #expect(isNew == [true, false])
    let plain = overlays.changes(isWindow: true, hasSubtitles: false)
    let lifted = overlays.changes(isWindow: true, hasSubtitles: true)
    #expect(plain.map(\.number) == [8] && lifted.map(\.number) == [8])
    #expect(plain[0].overlay.events != lifted[0].overlay.events)
  }

  @Test("The mouse's position is relative to the picture, without its bars")
  func pointer() {
    var overlays = Overlays()
    let mouse = MPVValue.map(["x": .integer(320), "y": .integer(140)])
    #expect(overlays.pointer(mouse) == nil)
    _ = overlays.windowChanged(shape(640, 360, bar: 50))
    let point = overlays.pointer(mouse)
    #expect(point?.x == 0.5 && point.map { abs($0.y - 90.0 / 260) < 1e-9 } == true)
    #expect(overlays.pointer(.none) == nil)
  }
}

@Suite("The small window")
struct PictureInPictureTests {
  @Test("It remembers its former state, once")
  func arrangement() {
    var window = PictureInPicture()
    let none = window.ended()
    #expect(none == nil && !window.isSmall)
    window.began()
    #expect(window.isSmall, "a second press reverses the change before the state is read")
    window.remembered(WindowArrangement(properties: [MPVProperty.border: .flag(true)], scale: 0.5))
    let arrangement = window.ended()
    #expect(arrangement?.scale == 0.5 && arrangement?.properties[MPVProperty.border] == .flag(true))
    #expect(!window.isSmall)
  }

  @Test("Its outputs are spelled in another way each time")
  func spelling() {
    var window = PictureInPicture()
    let spellings = (0..<3).map { _ in window.respelled("gpu,null") }
    #expect(spellings == ["gpu,null,null", "gpu,null", "gpu,null,null"])
  }
}
