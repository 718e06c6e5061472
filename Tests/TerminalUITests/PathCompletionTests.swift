import ScreenDemo
import Testing

@testable import TerminalUI

@Suite("Paths that Tab completes")
struct PathCompletionTests {
  private static let names = [
    ".cache/", "Show S01E01.mkv", "Show S01E01.srt", "Show S01E02.mkv", "Shows/", "notes.txt",
  ]

  private static let entries = names.map { name in
    PathCompletion.Entry(
      name: name.hasSuffix("/") ? String(name.dropLast()) : name, isFolder: name.hasSuffix("/"),
      isFilm: name.hasSuffix(".mkv"))
  }

  @Test(
    "A path is completed as far as all fitting names go on alike",
    arguments: [
      ("~/V/Sh", "~/V/Show", ["Show S01E01.mkv", "Show S01E02.mkv", "Shows/"]),
      ("Show ", "Show S01E0", ["Show S01E01.mkv", "Show S01E02.mkv"]),
      ("Show S01E01", "Show S01E01.mkv", ["Show S01E01.mkv"]),
      // Another file fits if no film does.
      ("no", "notes.txt", ["notes.txt"]),
      ("Shows", "Shows/", ["Shows/"]),
      ("show s01", "Show S01E0", ["Show S01E01.mkv", "Show S01E02.mkv"]),
      (".", ".cache/", [".cache/"]), ("x", "x", []), ("~", "~/", []),
    ])
  func completed(typed: String, path: String, candidates: [String]) {
    let request = PathCompletion.Request(path: typed, wantsFolder: false, number: 1)
    let completion = PathCompletion(request, in: Self.entries)
    #expect(completion.path == path && completion.candidates == candidates)
  }

  @Test("Where a folder is wanted, only folders fit")
  func folders() {
    let request = PathCompletion.Request(path: "/V/", wantsFolder: true, number: 1)
    #expect(request.folder == "/V/")
    #expect(PathCompletion(request, in: Self.entries).path == "/V/Shows/")
  }

  /// Answers the requests among effects.
  private func answer(_ effects: [InputMachine.Effect], _ screen: inout TestScreen) {
    for case .screen(.completePath(let request)) in effects {
      screen.change { $0.completion = PathCompletion(request, in: Self.entries) }
    }
  }

  /// Types, presses Tab, and returns the prompt's text once the answer is there.
  private func complete(_ text: String, _ screen: inout TestScreen) -> String? {
    screen.type(text)
    answer(screen.press("TAB"), &screen)
    return screen.machine.state.prompt?.editor.text
  }

  @Test("Tab completes the path of a prompt, and shows what it may go on with")
  func prompt() {
    var screen = TestScreen(model: Samples.playing)
    screen.press("u")
    #expect(complete("~/V/S", &screen) == "~/V/Show")
    #expect(screen.text.contains("Show S01E01.mkv  Show S01E02.mkv  Shows/"))
    screen.type("s")
    #expect(!screen.text.contains("S01E02"))
    answer(screen.press("TAB"), &screen)
    #expect(screen.machine.state.prompt?.editor.text == "~/V/Shows/")
    screen.type("q")
    answer(screen.press("TAB"), &screen)
    #expect(screen.text.contains("No file begins with this"))
    // The same question again has an answer again.
    screen.press("BS", "Ctrl+u")
    screen.type("S")
    for _ in 0..<2 {
      answer(screen.press("TAB"), &screen)
      #expect(screen.text.contains("Shows/"))
      screen.press("x", "BS", "Ctrl+u")
      screen.type("S")
    }
  }

  @Test("An answer that comes after more was typed changes nothing")
  func late() {
    var screen = TestScreen(model: Samples.playing)
    screen.press("u")
    screen.type("Sh")
    let asked = screen.press("TAB")
    screen.type("a")
    answer(asked, &screen)
    #expect(screen.machine.state.prompt?.editor.text == "Sha")
  }

  @Test("In the chat, Tab completes the path of a command")
  func chat() {
    var screen = TestScreen(model: Samples.playing)
    screen.press("t")
    #expect(complete("/load Show S01E01", &screen) == "/load Show S01E01.mkv")
    screen.press("Ctrl+u")
    #expect(complete("/same-film Show S01E01", &screen) == "/same-film Show S01E01.mkv")
    screen.press("Ctrl+u")
    #expect(complete("/add-folder S", &screen) == "/add-folder Shows/")
    screen.press("Ctrl+u")
    screen.type("/load http://")
    #expect(screen.press("TAB") == [])
  }
}
