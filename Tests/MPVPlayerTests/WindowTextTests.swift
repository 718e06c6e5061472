import Testing

@testable import MPVPlayer

@Suite("Text over the picture in mpv's window")
struct WindowTextTests {
  private func window(_ width: Double, _ height: Double) -> WindowShape {
    var shape = WindowShape()
    (shape.width, shape.height) = (width, height)
    return shape
  }

  @Test("Participants' text is not treated as markup")
  func markup() {
    var text = WindowText()
    text.lines = [.init(author: "{\\b1}Ana", text: "\\Nno {\\fs200}shouting}\nhere")]
    let events = text.events(in: window(1280, 720))
    #expect(!events.contains("{\\fs200}"))
    #expect(!events.contains("{\\b1}"))
    #expect(events.contains("\\{\\\u{2060}fs200\\}shouting\\} here"))
    #expect(!events.contains("\n"))
  }

  @Test("Each author's colour begins a line, blue first as in libass")
  func colors() {
    var text = WindowText()
    text.lines = [.init(author: "Ben", color: 0x00AFFF, text: "hello")]
    #expect(text.events(in: window(1280, 720)).contains("\\1c&HFFAF00&}Ben "))
  }

  @Test("A disappearing line becomes more and more transparent")
  func fading() {
    var text = WindowText()
    text.lines = [.init(text: "hello", opacity: 0.25)]
    #expect(text.events(in: window(1280, 720)).contains("\\1a&HBF&"))
  }

  @Test("A small window has fewer lines in larger letters, the newest")
  func small() throws {
    var text = WindowText()
    text.lines = (1...6).map { .init(text: "line \($0)") }
    let large = text.events(in: window(1280, 720))
    let small = text.events(in: window(320, 180))
    #expect(large.contains("\\fs30") && large.contains("line 1"))
    #expect(small.contains("\\fs56") && !small.contains("line 1") && small.contains("line 6"))
  }

  @Test("Lines are above the controller, and two lines higher if there are subtitles")
  func subtitles() {
    var text = WindowText()
    text.lines = [.init(text: "hello")]
    #expect(text.events(in: window(1280, 720)).contains("\\pos(30,620)"))
    #expect(
      text.events(in: window(1280, 720), clearsSubtitles: true).contains("\\pos(30,570)"))
  }

  @Test("Without a window there are no events; without text nothing is drawn")
  func nothing() {
    var text = WindowText()
    #expect(text.events(in: window(1280, 720)).isEmpty)
    text.notice = "waiting for Chi"
    #expect(text.events(in: window(0, 0)).isEmpty)
    #expect(!text.events(in: window(1280, 720)).isEmpty)
  }

  @Test("Every reaction is a drawing within its square", arguments: SignShape.allCases)
  func signs(shape: SignShape) {
    for layer in shape.layers {
      let words = layer.path.split(separator: " ")
      #expect(words.first == "m")
      let numbers = words.compactMap { Int($0) }
      #expect(numbers.count % 2 == 0)
      #expect(numbers.allSatisfy { (-2...102).contains($0) }, "\(layer.path)")
      #expect(words.allSatisfy { Int($0) != nil || ["m", "l", "b"].contains($0) })
    }
    var text = WindowText()
    text.signs = [.init(shape: shape, author: "Ben", color: 0, column: 0.5, height: 0.5)]
    #expect(text.events(in: window(640, 360)).contains("\\p1}m "))
  }

  @Test("A key is bound as in input.conf, and can bind other keys with it")
  func bindings() {
    #expect(
      WindowKeys.Binding("Ctrl+w", "type", repeats: true).line(client: "main")
        == "Ctrl+w repeatable script-binding main/type")
    #expect(
      WindowKeys.Binding("ENTER", "chat", switches: .on("typing")).line(client: "main")
        == "ENTER enable-section matinee-typing allow-hide-cursor+allow-vo-dragging; script-binding main/chat"
    )
  }

  @Test("mpv's messages for bound keys are parsed")
  func keys() {
    #expect(
      WindowKey(message: ["key-binding", "type", "d-", "?", "?"])
        == WindowKey(binding: "type", name: "?", text: "?"))
    #expect(
      WindowKey(message: ["key-binding", "type", "r-", "Ctrl+w", ""])
        == WindowKey(binding: "type", phase: .repeated, name: "Ctrl+w"))
    #expect(
      WindowKey(message: ["key-binding", "pen", "um", "MBTN_LEFT"])?.phase == .released)
    #expect(
      WindowKey(message: ["key-binding", "pen", "um", "Ctrl+MBTN_LEFT"])?.isMouseButton == true)
    #expect(WindowKey(message: ["key-binding", "type", "u-", "M", "M"])?.isMouseButton == false)
    #expect(WindowKey(message: ["key-binding", "pen", "x-", "a"]) == nil)
    #expect(WindowKey(message: ["something-else"]) == nil)
    #expect(WindowKey(message: []) == nil)
  }
}
