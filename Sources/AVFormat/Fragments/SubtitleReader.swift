import CAVFormat
import Timekeeping

/// A text of subtitles.
package struct SubtitleCue: Hashable, Sendable {
  /// The time from which the text is shown, on the film's timeline.
  package var start: MediaTime
  /// The time until which it is shown.
  package var end: MediaTime
  /// The text without styles, in one or more lines; 2,000 characters at most.
  package var text: String
}

/// Reads the subtitles of a film in the order of the file, or those of a file that has nothing else.
///
/// One thread uses it. Its calls wait for the disk: a film is read to its end, since the subtitles are everywhere in it.
package final class SubtitleReader {
  private let input: FilmInput
  private let stream: UnsafeMutablePointer<AVStream>
  private var decoder: UnsafeMutablePointer<AVCodecContext>?

  /// The formats of files with subtitles alone.
  private static let formats = "srt,ass,webvtt,microdvd,sami,subviewer,mpl2"
  private static let packetsInBatch = 2000
  private static let cuesInBatch = 200
  private static let textLimit = 2000

  /// - Parameters:
  ///   - path: the path of a local file. No other file is opened.
  ///   - track: the index of a track in ``FragmentedFilm/subtitleTracks``; nil for the file's first.
  ///   - probe: ends the reading for good when it is cancelled, from any thread.
  package init(
    path: String, track: Int?, probe: StreamProbe = .unlimited
  ) throws(FragmentError) {
    input = try FilmInput(
      path, formats: MediaInformation.containers + "," + Self.formats, probe)
    let streams = input.streams
    let texts = streams.filter(\.isText)
    guard let stream = texts.first(where: { track == nil || Int($0.pointee.index) == track }),
      let codec = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id),
      let decoder = avcodec_alloc_context3(codec)
    else { throw .noTrack(track ?? 0) }
    (self.stream, self.decoder) = (stream, decoder)
    avcodec_parameters_to_context(decoder, stream.pointee.codecpar)
    decoder.pointee.pkt_timebase = stream.pointee.time_base
    try FragmentError.check(avcodec_open2(decoder, codec, nil), "subtitles")
    // The packets of sound are skipped here, so that a batch ends where a film has no subtitles for long.
    let sound = TrackChoice.streams(of: AVMEDIA_TYPE_AUDIO, in: streams).first
    input.select([stream, sound].compactMap { $0 }.map { Int($0.pointee.index) })
  }

  deinit { avcodec_free_context(&decoder) }

  /// Reads on, for some seconds or minutes of the film.
  ///
  /// - Returns: the cues that were found, possibly none; nil at the end of the film.
  package func next() throws(FragmentError) -> [SubtitleCue]? {
    var cues: [SubtitleCue] = []
    for _ in 0..<Self.packetsInBatch where cues.count < Self.cuesInBatch {
      guard let packet = try input.next() else { return cues.isEmpty ? nil : cues }
      if packet.stream == Int(stream.pointee.index), let cue = cue(packet) { cues.append(cue) }
    }
    return cues
  }

  private func cue(_ packet: Packet) -> SubtitleCue? {
    var subtitle = AVSubtitle()
    var isComplete: CInt = 0
    guard packet.pts != matinee_no_time,
      avcodec_decode_subtitle2(decoder, &subtitle, &isComplete, packet.pointer) >= 0,
      isComplete != 0
    else { return nil }
    defer { avsubtitle_free(&subtitle) }
    let texts = (0..<Int(subtitle.num_rects)).compactMap { index -> String? in
      guard let event = subtitle.rects[index]?.pointee.ass else { return nil }
      return Self.plainText(String(cString: event))
    }
    let text = String(texts.filter { !$0.isEmpty }.joined(separator: "\n").prefix(Self.textLimit))
    let base = stream.pointee.time_base
    let start = base.time(packet.pts)
    let shown = packet.duration > 0 ? base.time(packet.duration) - .zero : .seconds(4)
    return text.isEmpty ? nil : SubtitleCue(start: start, end: start + shown, text: text)
  }

  /// Returns the text of an event as libavcodec decodes it, in the fields of the ASS format.
  static func plainText(_ event: String) -> String {
    let fields = event.split(
      separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
    guard fields.count == 9 else { return "" }
    var text = ""
    var rest = fields[8]
    var isDrawing = false
    while let character = rest.popFirst() {
      if character == "{", let end = rest.firstIndex(of: "}") {
        // \p1 begins a drawing, \p0 ends it.
        for tag in rest[..<end].split(separator: "\\") where tag.first == "p" {
          if let scale = Int(tag.dropFirst()) { isDrawing = scale > 0 }
        }
        rest = rest[end...].dropFirst()
      } else if character == "\\", let escape = rest.first, "Nnh".contains(escape) {
        text += escape == "N" ? "\n" : " "
        rest.removeFirst()
      } else if !isDrawing,
        character == "\t" || !character.unicodeScalars.contains(where: isControl)
      {
        text.append(character)
      }
    }
    let lines = text.split(separator: "\n").map { line in
      line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().map(String.init).joined()
    }
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
