import CAVFormat

/// The streams of a film that go into fragments, and how.
struct TrackChoice {
  typealias Stream = UnsafeMutablePointer<AVStream>

  /// The stream with the picture; nil for none.
  let picture: Stream?
  /// The stream with the sound; nil for none.
  let sound: Stream?
  /// A Boolean value that indicates whether the picture is converted to H.264.
  let isPictureEncoded: Bool
  /// A Boolean value that indicates whether the sound is converted to AAC.
  let isSoundEncoded: Bool

  /// - Parameters:
  ///   - plays: the codecs that the browser plays.
  ///   - audioTrack: the index of the stream with the sound; nil for the default.
  ///   - convertsPicture: whether to convert any picture.
  init(
    _ streams: [Stream], plays: Set<String>, audioTrack: Int?, convertsPicture: Bool
  ) throws(FragmentError) {
    picture = Self.preferred(Self.streams(of: AVMEDIA_TYPE_VIDEO, in: streams))
    let sounds = Self.streams(of: AVMEDIA_TYPE_AUDIO, in: streams)
    if let audioTrack {
      sound = sounds.first { Int($0.pointee.index) == audioTrack }
      if sound == nil { throw .noTrack(audioTrack) }
    } else {
      sound = Self.preferred(sounds)
    }
    if picture == nil && sound == nil { throw .empty }
    isPictureEncoded =
      picture.map {
        convertsPicture || !plays.contains(Self.playerName($0.pointee.codecpar.pointee))
      } ?? false
    if isPictureEncoded, !plays.contains("avc1"), let picture {
      throw .picture(codec: picture.codecName)
    }
    isSoundEncoded =
      sound.map { !plays.contains(Self.playerName($0.pointee.codecpar.pointee)) } ?? false
    if isSoundEncoded, !plays.contains("aac"), let sound { throw .sound(codec: sound.codecName) }
  }

  /// The streams, the picture first.
  var all: [Stream] { [picture, sound].compactMap { $0 } }

  /// Returns the streams of a kind whose parameters are known, without covers.
  static func streams(of kind: AVMediaType, in streams: [Stream]) -> [Stream] {
    streams.filter { stream in
      let parameters = stream.pointee.codecpar.pointee
      guard parameters.codec_type == kind, stream.pointee.time_base.den > 0,
        stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
      else { return false }
      return kind != AVMEDIA_TYPE_AUDIO
        || parameters.sample_rate > 0 && parameters.ch_layout.nb_channels > 0
    }
  }

  /// Returns the stream that mpv plays by itself: the first one with the flag, else the first one.
  static func preferred(_ streams: [Stream]) -> Stream? {
    streams.first { $0.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 } ?? streams.first
  }

  /// Returns the word for a codec in the list of those that a browser plays; an empty one for others.
  private static func playerName(_ parameters: AVCodecParameters) -> String {
    switch parameters.codec_id {
    // The profiles above High have more bits or more colours.
    case AV_CODEC_ID_H264: parameters.profile & 0xFF > FF_PROFILE_H264_HIGH ? "avc1.10bit" : "avc1"
    case AV_CODEC_ID_HEVC: "hvc1"
    case AV_CODEC_ID_VP9: "vp9"
    case AV_CODEC_ID_AV1: "av01"
    case AV_CODEC_ID_AAC: "aac"
    case AV_CODEC_ID_OPUS: "opus"
    case AV_CODEC_ID_FLAC: "flac"
    case AV_CODEC_ID_MP3: "mp3"
    default: ""
    }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// libavcodec's name of the codec.
  var codecName: String { String(cString: avcodec_get_name(pointee.codecpar.pointee.codec_id)) }

  /// A Boolean value that indicates whether the stream has subtitles that are text.
  var isText: Bool {
    guard pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE,
      let codec = avcodec_descriptor_get(pointee.codecpar.pointee.codec_id)
    else { return false }
    return codec.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0
  }

  /// The description of the track for a choice.
  var track: FragmentedFilm.Track {
    let language = MediaInformation.text(pointee.metadata, "language")
    let codec = pointee.codecpar.pointee.codec_id
    return FragmentedFilm.Track(
      index: Int(pointee.index), title: MediaInformation.text(pointee.metadata, "title"),
      // The code "und" means undetermined.
      language: language == "und" ? nil : language,
      isDefault: pointee.disposition & AV_DISPOSITION_DEFAULT != 0,
      isStyled: codec == AV_CODEC_ID_ASS || codec == AV_CODEC_ID_SSA)
  }
}
