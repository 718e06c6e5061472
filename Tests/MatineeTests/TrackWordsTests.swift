import Testing

@testable import MPVPlayer
@testable import MatineeKit

@Suite("The messages about tracks")
struct TrackWordsTests {
  private func track(_ title: String?, _ language: String?, file: String? = nil)
    -> PlayerSnapshot.Track
  {
    PlayerSnapshot.Track(
      kind: .subtitles, id: 1, title: title, language: language, isSelected: true,
      isAlbumArt: false, file: file)
  }

  @Test("Subtitles are named with their language and number")
  func subtitles() {
    let english = MPVPlayer.TrackChoice(track: track("SDH", "eng"), number: 2, count: 3)
    #expect(TrackWords.subtitles(english, isVisible: true) == "Subtitles: English, SDH (2 of 3)")
    #expect(
      TrackWords.subtitles(english, isVisible: false)
        == "Subtitles: English, SDH (2 of 3), hidden. Press v to show them.")
    #expect(TrackWords.name(of: track("english (SDH)", "eng")) == "english (SDH)")
    #expect(TrackWords.name(of: track("English", "eng")) == "English")
    let none = MPVPlayer.TrackChoice(track: nil, number: 0, count: 3)
    #expect(TrackWords.subtitles(none, isVisible: true) == "Subtitles off")
    let nothing = MPVPlayer.TrackChoice(track: nil, number: 0, count: 0)
    #expect(TrackWords.subtitles(nothing, isVisible: true) == "No subtitles")
    #expect(TrackWords.visibility(false, hasTrack: true) == "Subtitles hidden")
    #expect(
      TrackWords.visibility(true, hasTrack: false)
        == "No subtitles selected. Press j to choose them.")
  }

  @Test("One audio track is called the only one")
  func audio() {
    let only = MPVPlayer.TrackChoice(track: track(nil, "deu"), number: 1, count: 1)
    #expect(TrackWords.audio(only) == "Only one audio track")
    let second = MPVPlayer.TrackChoice(
      track: track("Kommentar", "de", file: "/films/other.mkv"), number: 2, count: 2)
    #expect(TrackWords.audio(second) == "Audio: other.mkv (2 of 2)")
  }
}
