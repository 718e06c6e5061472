import ScreenDemo
import Screening
import Testing

@testable import TerminalUI

@Suite("Keys in the library")
struct LibraryKeyTests {
  private func playing() -> TestScreen { TestScreen(model: Samples.playing) }

  @Test("Keys move through the library and open its entries")
  func library() {
    var screen = TestScreen(model: Samples.alone)
    #expect(screen.text.contains("› ▸ Talks"))
    #expect(screen.press("DOWN", "DOWN", "ENTER") == [.screen(.choose("orbits"))])
    #expect(screen.press("UP", "k", "UP", "RIGHT") == [.screen(.choose("talks"))])
    #expect(screen.press("END", "DOWN", "ENTER") == [.screen(.choose("bells"))])
    #expect(screen.press("LEFT") == [.screen(.leaveFolder)])
    screen.model.library.hasParent = false
    #expect(screen.press("LEFT", "BS") == [])
    // A film that appears at the front moves nothing under the selection.
    screen.model.library.entries.insert(.init(id: "new", kind: .film, title: "A new one"), at: 0)
    #expect(screen.press("ENTER") == [.screen(.choose("bells"))])
    screen.model.library.entries.removeLast()
    #expect(screen.press("ENTER") == [.screen(.choose("tides"))])
    screen.model.library.entries = []
    #expect(screen.press("ENTER", "UP", "END", "PGUP") == [])
    #expect(screen.text.contains("No films in this folder"))
  }

  @Test("A user who has watched nothing yet reads what to do, as long as there is room and no film")
  func welcome() {
    var screen = TestScreen(model: Samples.alone)
    screen.model.item = nil
    screen.model.library.entries = []
    #expect(!screen.text.contains("Watch films together"))
    screen.model.library.isNew = true
    for words in [
      "No films in this folder", "Watch films together, from the terminal.", "P     host a party",
      "a     add this folder", "matinee doctor          checks sound",
    ] {
      #expect(screen.text.contains(words), "\(screen.text)")
    }
    screen.model.library.entries = (0..<40).map { .init(id: "\($0)", kind: .film, title: "Film") }
    #expect(!screen.text.contains("Watch films together"))
    screen.model.library.entries.removeLast(39)
    #expect(screen.text.contains("Film") && screen.text.contains("Watch films together"))
    screen.model.item = Samples.item
    _ = screen.press("o")
    #expect(!screen.text.contains("Watch films together"))
  }

  @Test("Each folder keeps its selection")
  func folders() {
    var screen = TestScreen(model: Samples.alone)
    _ = screen.press("DOWN", "DOWN")
    let media = screen.model.library
    screen.model.library = LibraryModel(
      location: "/Media/Talks", title: "Talks", hasParent: true,
      entries: [.init(id: "one", kind: .film, title: "One")])
    #expect(screen.press("ENTER") == [.screen(.choose("one"))])
    screen.model.library = media
    #expect(screen.press("ENTER") == [.screen(.choose("orbits"))])
  }

  @Test("The library closes when a film opens, and returns on request")
  func libraryGivesWay() {
    var screen = TestScreen(model: Samples.alone)
    _ = screen.press("DOWN", "ENTER")
    screen.model.item = Samples.item
    #expect(!screen.text.contains("Library"))
    #expect(screen.press("DOWN") == [.user(.skip(by: .seconds(-60)))])
    #expect(screen.press("o") == [] && screen.text.contains("Library"))
    #expect(screen.press("SPACE") == [.user(.playPause)])
    #expect(screen.press("DOWN") == [])
    #expect(screen.press("ESC") == [] && !screen.text.contains("Library"))
    #expect(screen.press("o", "END", "ENTER") == [.screen(.choose("bells"))])
    #expect(!screen.text.contains("Library"))
  }

  @Test("The library opens in the folder of the film, with the film selected")
  func filmFolder() {
    var screen = playing()
    screen.model.library.filmFolder = "/Media"
    #expect(screen.press("o") == [.screen(.showFilmFolder("/Media"))])
    screen.press("END")
    #expect(screen.press("o") == [])
    #expect(screen.press("o") == [.screen(.showFilmFolder("/Media"))])
    #expect(screen.press("ENTER") == [.screen(.choose("countdown"))], "not the last selection")
  }

  @Test("In the folder above, the folder that was left is selected")
  func left() {
    var screen = TestScreen(model: Samples.alone)
    screen.press("END")
    let media = screen.model.library
    screen.model.library = LibraryModel(
      location: "talks", title: "Talks", hasParent: true,
      entries: [.init(id: "one", kind: .film, title: "One")])
    #expect(screen.press("BS") == [.screen(.leaveFolder)])
    screen.model.library = media
    #expect(screen.press("ENTER") == [.screen(.choose("talks"))])
    #expect(screen.press("DOWN", "ENTER") == [.screen(.choose("countdown"))])
  }

  @Test(
    "A long library scrolls so that the selection is visible",
    arguments: [(80, 24), (40, 10), (120, 40)])
  func longLibrary(columns: Int, rows: Int) {
    var screen = TestScreen(model: Samples.alone, size: ScreenSize(columns: columns, rows: rows))
    screen.model.library.entries = (0..<500).map {
      .init(id: "\($0)", kind: .film, title: TerminalText("Film number \($0)."))
    }
    for step in 0..<60 {
      #expect(screen.text.contains("›   Film number \(step)."))
      _ = screen.press("DOWN")
    }
    _ = screen.press("END")
    #expect(screen.text.contains("›   Film number 499."))
    _ = screen.press("PGUP", "PGUP")
    #expect(screen.text.contains("›   Film number"))
    _ = screen.press("HOME")
    #expect(screen.text.contains("›   Film number 0."))
  }
}
