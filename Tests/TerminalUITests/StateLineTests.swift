import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The state line")
struct StateLineTests {
  private static let here = MediaTime(seconds: 82)
  private static let group = MediaTime(seconds: 100)

  /// The states in order of importance, each with its line.
  private static let states: [(ParticipantState, String)] = [
    (
      .previewing(at: here, group: group),
      "Previewing 0:01:22. Everyone is at 0:01:40.   enter take everyone there  esc go back"
    ),
    (
      .partyClosed("Ana closed the party.", canRejoin: true),
      "Ana closed the party. You keep watching alone.   A rejoin  esc dismiss  P host a party"
    ),
    (
      .needsCopy(of: "Blue"),
      "You have no copy of “Blue” yet.   o library  u open file"
    ),
    (.notLoaded(from: "192.0.2.2"), "Not loaded from 192.0.2.2.   y load it"),
    (
      .reconnecting(remaining: .milliseconds(3200)),
      "Connection lost. The film keeps playing. Reconnecting in 4 s   L leave party"
    ),
    (.notReady, "Playback waits for you.   R I'm ready"),
    (.unable, "This film can't be played here. Everyone else keeps watching.   o library"),
    (
      .catchingUp(behind: .milliseconds(5400), rate: 2),
      "Catching up at 2×: 6 s behind   w skip to now"
    ),
    (.trailer, "Trailer before the film   b skip trailer"),
    (
      .watchingAlone(party: "Blue"),
      "You are watching alone. The party is watching “Blue”.   b rejoin"
    ),
    (
      .steppedAway(at: here, group: group),
      "You stepped away. You are at 0:01:22, everyone else at 0:01:40.   b rejoin"
    ),
    (.sequel("Show S01E02"), "Next: Show S01E02   enter play it"),
    (.mayResume(at: MediaTime(seconds: 51), byEnter: true), "Watched to 0:00:51   enter resume"),
    (
      .limited("Only people in your network can join."),
      "Only people in your network can join.   I details"
    ),
  ]

  private func line(_ state: ParticipantState?, width: Int, scrub: MediaTime? = nil) -> String? {
    var model = Samples.playing
    model.participantState = state
    model.groupTime = Self.group
    var screen = ScreenState()
    screen.scrub = scrub
    return StateLine(model, screen, keyMap: .standard, .unicode)?.line(width: width).spans
      .map(\.text.description).joined()
  }

  @Test("shows the state, and the keys that end it", arguments: states)
  func lines(state: ParticipantState, text: String) {
    #expect(line(state, width: 100) == text)
  }

  @Test("With others, a command resumes the film: Enter writes to them")
  func resumeWithOthers() {
    let state = ParticipantState.mayResume(at: MediaTime(seconds: 51), byEnter: false)
    #expect(line(state, width: 100) == "Watched to 0:00:51   /seek 0:51 resume")
  }

  @Test("fits any width, and keeps a key", arguments: states)
  func narrow(state: ParticipantState, text: String) throws {
    for width in [38, 58, 78] {
      let shown = try #require(line(state, width: width))
      #expect(TerminalText(shown).width <= width, "\(shown)")
      #expect(shown.contains("   "), "a key: \(shown)")
    }
  }

  @Test("shows the more important one of every two states")
  func priority() {
    for (index, (state, _)) in Self.states.enumerated() {
      for (lesser, _) in Self.states[(index + 1)...] {
        #expect(ParticipantState.mostImportant(of: [lesser, state]) == state)
      }
    }
    #expect(ParticipantState.mostImportant(of: []) == nil)
  }

  @Test("is shown while the position is dragged, also without a party")
  func scrubbing() {
    #expect(line(nil, width: 100) == nil)
    #expect(
      line(.steppedAway(at: nil, group: nil), width: 100, scrub: Self.here)?.hasPrefix(
        "Previewing 0:01:22. Everyone is at 0:01:40.") == true)
    var alone = ScreenModel()
    alone.item = Samples.item
    var screen = ScreenState()
    screen.scrub = Self.here
    let shown = StateLine(alone, screen, keyMap: .standard, .unicode)?.line(width: 80)
    #expect(
      shown?.spans.map(\.text.description).joined()
        == "Previewing 1:22   enter stay here  esc go back")
  }

  @Test("offers the film that continues the last one, which Enter opens, but not from the library")
  func sequel() {
    var screen = TestScreen()
    screen.change { $0.participantState = .sequel("S01E02") }
    #expect(screen.press("ENTER") == [.user(.advance(by: 1))])
    #expect(!screen.text.contains("write to everyone") && !screen.text.contains("enter chat"))
    screen.press("t")
    #expect(screen.machine.state.prompt?.kind == .chat)
    #expect(screen.press("ESC", "o", "END", "ENTER") == [.screen(.choose("bells"))])
    screen.change { $0.participantState = nil }
    #expect(screen.press("ENTER") == [] && screen.machine.state.prompt?.kind == .chat)
  }

  @Test("is in the colour of caution, above the hints, in every form of the screen")
  func forms() throws {
    for (columns, rows) in [(20, 1), (20, 2), (30, 3), (40, 10), (60, 20), (80, 24), (120, 40)] {
      for key in [nil, "f", "i"] {
        var screen = TestScreen()
        screen.size = ScreenSize(columns: columns, rows: rows)
        screen.model.picture = PictureModel(width: 16, height: 9)
        if let key { screen.press(key) }
        screen.change { $0.participantState = .steppedAway(at: nil, group: nil) }
        screen.wait(.seconds(10))
        let canvas = screen.canvas()
        let row = try #require(
          canvas.text.firstIndex { $0.contains("b rejoin") },
          "\(key ?? "") at \(columns)×\(rows)\n\(screen.text)")
        #expect(canvas.row(row).contains { $0.style == .caution })
        #expect(row >= rows - 2 - (rows == 2 ? 1 : 0))
      }
    }
  }
}
