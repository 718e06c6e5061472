import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("A film's page")
struct DetailsTests {
  private func library() -> TestScreen {
    var screen = TestScreen(model: Samples.alone)
    screen.change {
      $0.library = LibraryModel(
        location: "/films", title: "films",
        entries: [
          .init(id: "recent:", kind: .recent, title: "Recently watched"),
          .init(id: "/films/more", kind: .folder, title: "more"),
          .init(id: "/films/a.mkv", kind: .film, title: "a", note: "12:41 of 1:42:10"),
          .init(id: "/films/b.mkv", kind: .film, title: "b", note: "0:58"),
        ])
    }
    return screen
  }

  private func details(of id: String, still: PictureModel? = nil) -> DetailsModel {
    DetailsModel(
      id: id, title: "A long way home",
      lines: [
        .init(name: "Length", value: "1:42:10"),
        .init(name: "Where", value: TerminalText(String(repeating: "/folder", count: 30))),
      ], still: still)
  }

  @Test("d opens it and requests the details; the arrows move to the next film's")
  func opening() {
    var screen = library()
    screen.press("DOWN", "DOWN")
    #expect(screen.press("d") == [.screen(.showDetails(.init(id: "/films/a.mkv")))])
    #expect(screen.text.contains("Library: details") && !screen.text.contains("Recently"))
    screen.change { $0.details = details(of: "/films/a.mkv") }
    #expect(screen.text.contains("A long way home") && screen.text.contains("Length  1:42:10"))
    #expect(screen.press("DOWN") == [.screen(.showDetails(.init(id: "/films/b.mkv")))])
    #expect(!screen.text.contains("A long way home"), "that is the other film's")
    #expect(screen.press("ESC") == [.screen(.showDetails(nil))])
    #expect(screen.text.contains("Recently watched") && screen.text.contains("12:41 of 1:42:10"))
    #expect(screen.text.contains("1 folder, 2 titles"))
  }

  @Test("With enough room the selected film's details are beside the list, without a key")
  func preview() {
    var screen = library()
    screen.size = ScreenSize(columns: 120, rows: 30)
    screen.change { _ in }
    #expect(screen.press("DOWN") == [], "a folder has none")
    let wanted = ScreenCommand.WantedDetails(id: "/films/a.mkv", hasStill: true)
    #expect(screen.press("DOWN") == [.screen(.showDetails(wanted))])
    screen.change { $0.details = details(of: "/films/a.mkv", still: .usual) }
    #expect(screen.text.contains("Recently watched") && screen.text.contains("Length  1:42:10"))
    #expect(screen.canvas().pictureArea.map { $0.column > 60 } == true)
    #expect(screen.press("d") == [], "the page has the same")
    #expect(!screen.text.contains("Recently watched"))
  }

  @Test("The film that is open goes on above them, in place of a still", arguments: [120, 200])
  func corner(columns: Int) throws {
    var screen = library()
    screen.size = ScreenSize(columns: columns, rows: columns / 3)
    screen.change { ($0.item, $0.picture) = (Samples.item, .usual) }
    let wanted = ScreenCommand.WantedDetails(id: "/films/a.mkv", hasStill: false)
    screen.press("o", "DOWN")
    #expect(screen.press("DOWN") == [.screen(.showDetails(wanted))])
    screen.change { $0.details = details(of: "/films/a.mkv") }
    let canvas = screen.canvas()
    let area = try #require(canvas.pictureArea)
    #expect(area.column > columns / 2 && area.row < 10 && area.width >= 30)
    #expect(canvas.pictureCovers.isEmpty)
    #expect(screen.text.contains("Length  1:42:10"))
    let page = ScreenCommand.WantedDetails(id: "/films/a.mkv", hasStill: true)
    #expect(screen.press("d") == [.screen(.showDetails(page))])
  }

  @Test("Enter opens the film and closes the page; b opens it from its beginning")
  func choosing() {
    for (key, command) in [
      ("ENTER", ScreenCommand.choose("/films/a.mkv")), ("b", .chooseAnew("/films/a.mkv")),
    ] {
      var screen = library()
      screen.press("DOWN", "DOWN", "d")
      #expect(screen.press(key) == [.screen(command), .screen(.showDetails(nil))])
    }
    var screen = library()
    #expect(screen.press("d") == [.screen(.showDetails(.init(id: "recent:")))], "which has no page")
    #expect(screen.press("b") == [])
  }

  @Test("The picture has the room that the text leaves", arguments: [40, 66, 80, 130, 300])
  func sizes(columns: Int) {
    for rows in [10, 16, 24, 50, 100] {
      var screen = library()
      screen.size = ScreenSize(columns: columns, rows: rows)
      screen.press("DOWN", "DOWN", "d")
      screen.change {
        $0.details = details(
          of: "/films/a.mkv", still: PictureModel(width: 1920, height: 1080))
      }
      let canvas = screen.canvas()
      #expect(canvas.text.allSatisfy { TerminalText($0).width == columns })
      #expect(canvas.pictureCovers.isEmpty)
      #expect(screen.text.contains("A long way"))
      if rows >= 24, columns >= 80 { #expect(canvas.pictureArea != nil, "\(columns) × \(rows)") }
    }
  }

  @Test("A number shows a moment's picture, and Enter plays the film from there")
  func moments() {
    var screen = library()
    screen.press("DOWN", "DOWN", "d")
    var film = details(of: "/films/a.mkv")
    film.moments = ["12:34  Ana and Ben", "45:00  Ben and Chi"]
    screen.change { $0.details = film }
    #expect(screen.text.contains("1 12:34  Ana and Ben") && screen.text.contains("2 45:00  Ben"))
    #expect(
      screen.press("2") == [.screen(.showDetails(.init(id: "/films/a.mkv", moment: 1)))])
    #expect(
      screen.press("ENTER") == [
        .screen(.chooseMoment("/films/a.mkv", 1)), .screen(.showDetails(nil)),
      ])
    // A small page says how many there are, and shows the chosen one.
    screen = library()
    screen.size = ScreenSize(columns: 60, rows: 16)
    screen.press("DOWN", "DOWN", "d")
    film.moments = (1...9).map { "0:0\($0)  Ana and Ben" }
    screen.change { $0.details = film }
    #expect(screen.text.contains("9 moments") && screen.text.contains("3 0:03"))
    #expect(!screen.text.contains("9 0:09"))
    screen.press("9")
    #expect(screen.text.contains("9 0:09  Ana and Ben"))
    film.moments = ["12:34  Ana and Ben", "45:00  Ben and Chi"]
    // The next film has none.
    screen = library()
    screen.press("DOWN", "DOWN", "d")
    screen.change { $0.details = film }
    screen.press("1", "DOWN")
    #expect(screen.press("ENTER").first == .screen(.choose("/films/b.mkv")))
  }
}
