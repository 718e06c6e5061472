import Screening
import TerminalUI
import Testing
import Timekeeping

@testable import Faces
@testable import MPVPlayer

@Suite("The menus of tracks and chapters")
struct MenuTests {
  private func track(
    _ kind: PlayerSnapshot.Track.Kind, _ id: Int, _ title: String?, isSelected: Bool = false
  ) -> PlayerSnapshot.Track {
    PlayerSnapshot.Track(
      kind: kind, id: id, title: title, language: "en", isSelected: isSelected, isAlbumArt: false,
      file: nil)
  }

  @Test("Tracks have their names, and each choice is a command that concerns this player only")
  func tracks() throws {
    var player = PlayerSnapshot()
    #expect(QuestionModel.tracks(of: player) == nil)
    player.tracks = [
      track(.video, 1, nil, isSelected: true), track(.audio, 1, "Original", isSelected: true),
      track(.audio, 2, "Commentary"), track(.subtitles, 1, nil),
    ]
    let menu = try #require(QuestionModel.tracks(of: player))
    #expect(
      menu.choices.map(\.title) == [
        "Audio: English, Original  ✓", "Audio: English, Commentary", "Subtitles: English",
        "Subtitles: off  ✓", "Close",
      ])
    #expect(
      menu.choices.map(\.id) == [
        "mpv set aid 1", "mpv set aid 2", "mpv set sid 1", "mpv set sid no", "",
      ])
    for choice in menu.choices.dropLast() {
      guard case .player = try UserCommand(choice.id) else {
        Issue.record("\(choice.id) moves the others")
        continue
      }
    }
    #expect(menu.isMenu && menu.choices.last?.key == "q")
  }

  @Test(
    "Of many chapters those around the position are shown, and the choice is a seek for everyone")
  func chapters() throws {
    var player = PlayerSnapshot()
    #expect(QuestionModel.chapters(of: player, at: .zero) == nil)
    player.chapters = (0..<40).map {
      .init(
        title: $0 == 20 ? "The Storm\u{1B}[2J" : nil, start: MediaTime(seconds: Double($0) * 60.5))
    }
    let menu = try #require(QuestionModel.chapters(of: player, at: MediaTime(seconds: 1220)))
    #expect(menu.choices.count == 17 && Set(menu.choices.map(\.key)).count == 17)
    let marked = menu.choices[menu.initialChoice]
    #expect(marked.title.description.hasPrefix("20:10  The Storm"))
    #expect(!marked.title.description.contains("\u{1B}"))
    #expect(try UserCommand(marked.id) == .seek(to: MediaTime(seconds: 1210)))
    #expect(menu.choices[0].title == "12:06  Chapter 13")
    let end = try #require(QuestionModel.chapters(of: player, at: MediaTime(seconds: 9999)))
    #expect(end.initialChoice == 15 && end.choices.count == 17)
  }
}
