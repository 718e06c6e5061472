import GroupActivities
import MPVPlayer
import MatineeKit
import Screening
import TerminalUI
import Timekeeping

/// The menus of the film's parts: a choice's identifier is its command.
extension QuestionModel {
  /// The prefix of the menus' identifiers.
  private static let menu = "menu "
  /// The keys of the choices; each menu has at most as many.
  private static let keys = Array("123456789abcdefg")

  /// A Boolean value that indicates whether the question is a menu, so that its answer is a command.
  var isMenu: Bool { id.hasPrefix(Self.menu) }

  /// The menu of the audio and subtitle tracks by name; nil without any.
  static func tracks(of player: PlayerSnapshot) -> QuestionModel? {
    func choices(_ kind: PlayerSnapshot.Track.Kind, _ word: String, _ property: String) -> [(
      String, String
    )] {
      player.tracks.filter { $0.kind == kind }.map { track in
        (
          "mpv set \(property) \(track.id)",
          "\(word): \(TrackWords.name(of: track))" + mark(track.isSelected)
        )
      }
    }
    let audio = choices(.audio, "Audio", "aid")
    let subtitles = choices(.subtitles, "Subtitles", "sid")
    guard !audio.isEmpty || !subtitles.isEmpty else { return nil }
    let isOff = !player.tracks.contains { $0.kind == .subtitles && $0.isSelected }
    let off = subtitles.isEmpty ? [] : [("mpv set sid no", "Subtitles: off" + mark(isOff))]
    return menu("tracks", "Your tracks", audio + subtitles + off, marked: 0)
  }

  /// The menu of the chapters by name, those around a position if there are many; nil without any.
  static func chapters(of player: PlayerSnapshot, at position: MediaTime) -> QuestionModel? {
    guard !player.chapters.isEmpty else { return nil }
    let current = player.chapterIndex(at: position) ?? 0
    let first = max(0, min(current - keys.count / 2, player.chapters.count - keys.count))
    let choices = player.chapters.enumerated().dropFirst(first).map { index, chapter in
      (
        "seek \(chapter.start.seconds)",
        "\(StoryWords.clock(chapter.start))  \(chapter.name(at: index))" + mark(index == current)
      )
    }
    return menu("chapters", "Go to a chapter, for everyone", choices, marked: current - first)
  }

  private static func menu(
    _ id: String, _ text: TerminalText, _ choices: [(String, String)], marked: Int
  ) -> QuestionModel {
    let choices = zip(keys, choices).map { key, choice in
      Choice(id: choice.0, key: key, title: TerminalText(choice.1))
    }
    return QuestionModel(
      id: menu + id, text: text, choices: choices + [Choice(id: "", key: "q", title: "Close")],
      initialChoice: marked)
  }

  private static func mark(_ isSelected: Bool) -> String { isSelected ? "  ✓" : "" }
}

extension PlayerSnapshot {
  /// Returns the index of the chapter at a position; nil before the first one.
  func chapterIndex(at position: MediaTime) -> Int? {
    chapters.lastIndex { $0.start <= position }
  }
}

extension PlayerSnapshot.Chapter {
  /// Returns the chapter's title, or its number.
  func name(at index: Int) -> String {
    let title = PartyText.clean(title ?? "", limit: 60)
    return title.isEmpty ? "Chapter \(index + 1)" : title
  }
}
