import Foundation
import GroupActivities
import MPVPlayer

/// The messages about the user's choice of audio and subtitle tracks.
package enum TrackWords {
  static func audio(_ choice: MPVPlayer.TrackChoice) -> String {
    guard let track = choice.track else { return "No audio track" }
    guard choice.count > 1 else { return "Only one audio track" }
    return "Audio: \(name(of: track)) (\(choice.number) of \(choice.count))"
  }

  static func subtitles(_ choice: MPVPlayer.TrackChoice, isVisible: Bool) -> String {
    guard choice.count > 0 else { return "No subtitles" }
    guard let track = choice.track else { return "Subtitles off" }
    return "Subtitles: \(name(of: track)) (\(choice.number) of \(choice.count))"
      + (isVisible ? "" : ", hidden. Press v to show them.")
  }

  static func visibility(_ isVisible: Bool, hasTrack: Bool) -> String {
    guard hasTrack else { return "No subtitles selected. Press j to choose them." }
    return isVisible ? "Subtitles shown" : "Subtitles hidden"
  }

  /// Returns a track's name. The file name of a track from another file matters more than its title.
  package static func name(of track: PlayerSnapshot.Track) -> String {
    if let file = track.file {
      return PartyText.clean((file as NSString).lastPathComponent, limit: 60)
    }
    let title = track.title
    // Many titles name the language: "English (SDH)".
    let language = track.language.map(language).flatMap { name in
      title?.lowercased().contains(name.lowercased()) == true ? nil : name
    }
    let own = [language, title].compactMap(\.self)
    guard !own.isEmpty else { return "track \(track.id)" }
    return PartyText.clean(own.joined(separator: ", "), limit: 60)
  }

  /// Returns "English" for "eng" or "en"; the code if its name is unknown.
  private static func language(_ code: String) -> String {
    Locale(identifier: "en").localizedString(forLanguageCode: code) ?? code
  }
}
