/// The languages of tracks that hold for the films that follow.
package struct PreferredTracks: Hashable, Sendable {
  /// The language of the sound; nil for the player's own choice.
  package var audio: String?
  /// The language of the subtitles; nil for the player's own choice.
  package var subtitles: String?
  /// A Boolean value that indicates whether films begin without subtitles.
  package var areSubtitlesOff = false

  package init() {}
}

/// The memory of the tracks that the user chose by hand.
struct TrackMemory: Hashable, Sendable {
  private(set) var preferred = PreferredTracks()
  /// The item on the screen, and its selected tracks.
  private var item: String?
  private var selected: [PlayerFacts.Track] = []

  /// Notes the tracks of the film on the screen. The player chooses them when it opens the film; later choices are the
  /// user's.
  ///
  /// - Returns: the preferred tracks, if they have changed.
  mutating func note(_ tracks: [PlayerFacts.Track], of item: String?) -> PreferredTracks? {
    let before = (item: self.item, selected: selected, preferred: preferred)
    (self.item, selected) = (item, tracks.filter(\.isSelected))
    guard item != nil, item == before.item else { return nil }
    func chosen(_ kind: PlayerFacts.Track.Kind) -> (track: PlayerFacts.Track?, isNew: Bool) {
      let track = selected.first { $0.kind == kind }
      return (track, track != before.selected.first { $0.kind == kind })
    }
    let (audio, subtitles) = (chosen(.audio), chosen(.subtitles))
    // Sound that can't be played loses its track, too.
    if audio.isNew, let language = audio.track?.language { preferred.audio = language }
    if subtitles.isNew {
      preferred.subtitles = subtitles.track?.language
      preferred.areSubtitlesOff = subtitles.track == nil
    }
    return preferred == before.preferred ? nil : preferred
  }
}
