import CAVFormat
import Timekeeping

/// Reads a film file in fragments that browsers play.
///
/// One thread uses it. Its calls wait for the disk.
package final class FragmentReader {
  /// The description of the film.
  package let film: FragmentedFilm
  let input: FilmInput
  let choice: TrackChoice
  private let quality: ConversionQuality
  private var run: FragmentRun

  /// Opens a film and reads its first second.
  ///
  /// - Parameters:
  ///   - path: the path of a local file. No other file is opened.
  ///   - plays: the codecs that the browser plays, of `avc1`, `avc1.10bit`, `hvc1`, `vp9`, `av01`, `aac`, `opus`,
  ///     `flac` and `mp3`.
  ///   - audioTrack: the index of a track in ``FragmentedFilm/audioTracks``; nil for the file's default.
  ///   - convertsPicture: whether to convert a picture that the browser claims to play too: some films fail there while
  ///     they play, and some lack the times of their pictures (``FragmentError/picture(codec:)``).
  ///   - quality: the picture that is made by a conversion.
  ///   - probe: ends the reading for good when it is cancelled, from any thread.
  package init(
    path: String, plays: Set<String>, audioTrack: Int? = nil, convertsPicture: Bool = false,
    quality: ConversionQuality = .browser, probe: StreamProbe = .unlimited
  ) throws(FragmentError) {
    self.quality = quality
    input = try FilmInput(path, formats: MediaInformation.containers, probe)
    choice = try TrackChoice(
      input.streams, plays: plays, audioTrack: audioTrack, convertsPicture: convertsPicture)
    input.select(choice.all.map { Int($0.pointee.index) })
    run = try FragmentRun(input, choice, from: nil, quality)
    guard let first = try run.peek() else { throw .empty }
    film = FragmentedFilm(input, choice, mime: CodecNames.mime(first.bytes))
  }

  /// Reads the next fragment.
  ///
  /// - Returns: nil at the end of the film.
  package func next() throws(FragmentError) -> Fragment? { try run.next() }

  /// Moves to the last keyframe at or before a time, or to the film's first one. An initialization segment is next,
  /// then a fragment that begins with the keyframe. A picture that is converted begins at the time itself.
  package func seek(to time: MediaTime) throws(FragmentError) {
    guard let stream = choice.all.first else { return }
    try input.seek(Int(stream.pointee.index), to: time)
    run = try FragmentRun(input, choice, from: time, quality)
  }
}

extension FragmentedFilm {
  fileprivate init(_ input: FilmInput, _ choice: TrackChoice, mime: String) {
    let streams = input.streams
    self.mime = mime
    videoCodec = choice.picture?.codecName
    audioCodec = choice.sound?.codecName
    isPictureEncoded = choice.isPictureEncoded
    isSoundEncoded = choice.isSoundEncoded
    let length = input.context.pointee.duration
    duration = length == matinee_no_time || length <= 0 ? nil : .microseconds(length)
    start = input.start
    size = Int(max(0, avio_size(input.context.pointee.pb)))
    if let rate = choice.picture?.pointee.avg_frame_rate, rate.num > 0, rate.den > 0 {
      frameRate = Fraction(numerator: Int(rate.num), denominator: Int(rate.den))
    }
    audioTracks = TrackChoice.streams(of: AVMEDIA_TYPE_AUDIO, in: streams).map(\.track)
    subtitleTracks = streams.filter(\.isText).map(\.track)
  }
}
