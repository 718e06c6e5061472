import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The library's search and the playlist")
struct ListTests {
  // MARK: - Search

  @Test("Enter opens the first result, and the folder keeps its selection")
  func firstHit() {
    var screen = TestScreen()
    screen.press("o", "END", "/")
    screen.type("t")
    let hits = screen.machine.state.shownLibrary(screen.model)
    // Neither the fifth, which was selected, nor the second, which is being watched.
    #expect(hits.entries.count == 4 && screen.machine.state.library.index(in: hits) == 0)
    screen.press("DOWN", "BS")
    screen.type("t")
    screen.press("ESC")
    #expect(screen.machine.state.library.index(in: screen.model.library) == 4)
    screen.press("/")
    screen.type("t")
    #expect(screen.press("ENTER") == [.screen(.choose("talks"))])
  }

  @Test("Results from other folders follow the folder's own, and move no selection")
  func foundElsewhere() {
    var screen = TestScreen()
    screen.press("o", "/")
    screen.type("bells")
    screen.change {
      $0.library.found = .init(
        query: "bells",
        entries: [
          .init(id: "bells", kind: .audio, title: "Bells"),
          .init(id: "/else/bells", kind: .audio, title: "More bells"),
        ])
    }
    #expect(
      screen.machine.state.shownLibrary(screen.model).entries.map(\.id) == ["bells", "/else/bells"])
    #expect(screen.press("ENTER") == [.screen(.choose("bells"))])
  }

  @Test("Typing shows the entries with all the words, and enter opens the marked one")
  func search() {
    var screen = TestScreen()
    screen.press("o", "/")
    screen.type("T")
    #expect(screen.text.contains("Talks") && screen.text.contains("Countdown"))
    #expect(!screen.text.contains("Bells"))
    screen.type("ides slow")
    #expect(screen.text.contains("Tides and other slow things"))
    #expect(!screen.text.contains("Talks") && screen.text.contains("1 title"))
    #expect(screen.press("ENTER") == [.screen(.choose("tides"))])
    screen.press("o")
    #expect(screen.text.contains("Bells"), "all of it again")
  }

  @Test("Arrows select a result; escape cancels the search")
  func picking() {
    var screen = TestScreen()
    screen.press("o", "/")
    screen.type("t")
    screen.press("UP", "UP", "UP", "UP", "DOWN", "DOWN")
    #expect(screen.press("ENTER") == [.screen(.choose("orbits"))])
    var other = TestScreen()
    other.press("o", "/")
    other.type("orb")
    other.press("ESC")
    #expect(other.text.contains("Talks") && other.text.contains("Bells"))
  }

  @Test("A search without results says so, and the line stays")
  func nothing() {
    var screen = TestScreen()
    screen.press("o", "/")
    screen.type("zzz")
    #expect(screen.press("ENTER") == [])
    #expect(screen.text.contains("No match for “zzz”"))
    #expect(screen.text.contains("zzz"))
  }

  @Test(
    "The text is searched for in all folders, and other folders' results come last")
  func elsewhere() {
    var screen = TestScreen()
    screen.press("o", "/")
    #expect(screen.press("o") == [.screen(.search("o"))])
    #expect(screen.press("SPACE") == [.screen(.search("o "))])
    #expect(screen.press("BS") == [.screen(.search("o"))])
    #expect(screen.press("r", "b") == [.screen(.search("or")), .screen(.search("orb"))])
    screen.model.library.found = .init(
      query: "or", entries: [.init(id: "/old", kind: .film, title: "Too late")])
    #expect(!screen.text.contains("Too late"))
    screen.model.library.found = .init(
      query: "orb",
      entries: [
        .init(id: "orbits", kind: .film, title: "Here, too"),
        .init(id: "/far/Orbs.mkv", kind: .film, title: "Orbs from afar"),
      ])
    #expect(screen.text.contains("Orbs from afar") && !screen.text.contains("Here, too"))
    screen.press("DOWN")
    #expect(screen.press("ENTER") == [.screen(.choose("/far/Orbs.mkv"))])
  }

  @Test("Keys add folders, and delete stored facts")
  func remembered() {
    var screen = TestScreen()
    screen.model.library = LibraryModel(
      location: "/films",
      entries: [
        .init(id: "/films/a", kind: .folder, title: "a"),
        .init(id: "/films/b.mkv", kind: .film, title: "b"),
        .init(id: "party:1", kind: .party, title: "crisp-otter"),
        .init(id: "host:h", kind: .fact, title: "h"),
      ])
    #expect(screen.press("o", "HOME", "a") == [.user(.library(.addFolder("/films/a")))])
    #expect(screen.press("DOWN", "a") == [.user(.library(.addFolder("/films")))])
    #expect(screen.press("e", "UP", "e") == ["b.mkv", "a"].map { .user(.enqueue("/films/" + $0)) })
    screen.press("DOWN")
    #expect(screen.press("x") == [.screen(.forget("/films/b.mkv"))])
    #expect(
      screen.press("DOWN", "d") == [.screen(.showDetails(.init(id: "party:1")))], "it is no film")
    let refusal = TerminalText("Only films and folders can be added to the playlist.")
    #expect(screen.press("e") == [.screen(.explain(refusal))])
    // The question comes because its invite would be lost.
    #expect(screen.press("x") == [] && screen.text.contains("Forget crisp-otter?"))
    #expect(screen.press("ENTER", "x", "n", "x", "ESC") == [])
    #expect(screen.press("x", "y") == [.screen(.forget("party:1"))])
    #expect(screen.press("END", "ENTER") == [], "there is nothing to open")
    #expect(screen.press("DEL") == [.screen(.forget("host:h"))])
    #expect(screen.press("UP", "ENTER") == [.screen(.choose("party:1"))])
  }

  @Test("Another folder ends the search")
  func otherFolder() {
    var screen = TestScreen()
    screen.press("o", "/")
    screen.type("talks")
    #expect(screen.press("ENTER") == [.screen(.choose("talks"))])
    screen.model.library = LibraryModel(
      location: "/Media/Talks", title: "Talks", hasParent: true,
      entries: [.init(id: "one", kind: .film, title: "One")])
    #expect(screen.text.contains("One"))
  }

  // MARK: - The playlist

  private func withPlaylist() -> TestScreen {
    var screen = TestScreen()
    screen.model.playlist = [
      PlaylistLine(title: "Countdown", isCurrent: true), PlaylistLine(title: "Orbits"),
      PlaylistLine(title: "Tides"),
    ]
    return screen
  }

  @Test("l shows the playlist; enter plays an entry now")
  func playlist() {
    var screen = withPlaylist()
    screen.press("l")
    #expect(screen.text.contains("Playlist") && screen.text.contains("2  Orbits"))
    #expect(screen.press("DOWN", "DOWN", "DOWN", "ENTER") == [.user(.watch(entry: 2))])
    #expect(!screen.text.contains("2  Orbits"))
  }

  @Test("Entries are moved and removed")
  func editing() {
    var screen = withPlaylist()
    screen.press("l", "j")
    #expect(screen.press("J") == [.user(.moveEntry(from: 1, to: 2))])
    #expect(screen.press("J") == [], "it is the last")
    #expect(screen.press("Shift+UP") == [.user(.moveEntry(from: 2, to: 1))])
    #expect(screen.press("x") == [.user(.dropEntry(1))])
  }

  @Test("An empty playlist says how to add to it, and its keys do nothing")
  func empty() {
    var screen = TestScreen()
    screen.press("l")
    #expect(screen.text.contains("Press e in the library"))
    #expect(screen.press("ENTER", "J", "x", "DOWN") == [])
  }

  @Test("The mouse selects an entry, and a second click plays it")
  func mouse() throws {
    var screen = withPlaylist()
    screen.press("l")
    let lines = screen.text.split(separator: "\n").map(Array.init)
    let row = try #require(lines.firstIndex { String($0).contains("2  Orbits") })
    let click = InputEvent.mouse(MouseEvent(.press, at: ScreenPoint(column: 20, row: row)))
    #expect(screen.send(click) == [])
    #expect(screen.send(click) == [.user(.watch(entry: 1))])
  }
}
