/// The languages with which films are opened.
struct TrackOptions: Hashable, Sendable {
  var audio: [String]
  var subtitles: [String]
  var areSubtitlesOff: Bool
}
