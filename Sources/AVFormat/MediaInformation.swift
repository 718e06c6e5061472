import CAVFormat
import FileNames
import Foundation

/// The information in a file's headers (libavformat). Nothing is decoded.
package struct MediaInformation: Hashable, Sendable, Codable {
  /// One stream of a file.
  package struct Track: Hashable, Sendable, Codable {
    /// The kind of a track's content. Other kinds, such as attached data, are left out.
    package enum Kind: String, Hashable, Sendable, Codable { case video, audio, subtitles }

    /// The kind of the content.
    package var kind: Kind
    /// libavcodec's name: `h264`, `opus`.
    package var codec: String
    /// The language code in the file, mostly of three letters (ISO 639-2); nil if the file doesn't state it.
    package var language: String?
    /// The title in the file, not cleaned of control characters; nil if it has none.
    package var title: String?
    /// The width in pixels; 0 for a track without pictures.
    package var width = 0
    /// The height in pixels; 0 for a track without pictures.
    package var height = 0
    /// The number of pictures per second; nil if the file doesn't state it.
    package var framesPerSecond: Double?
    /// The number of audio channels.
    package var channels = 0
  }

  /// The title in the file's headers, which may be meaningless.
  package var title: String?
  /// The duration that the headers state; nil for none.
  package var duration: Duration?
  /// The tracks in the file's order, 64 at most.
  package var tracks: [Track] = []
  /// The number of chapters.
  package var chapters = 0
  /// The file's size in bytes.
  package var size = 0
  /// libavformat's descriptive name of the container.
  package var container = ""

  /// The first video track. A cover isn't one.
  package var video: Track? { tracks.first { $0.kind == .video } }

  /// The maximum length of a text from a file's headers, in characters.
  static let textLimit = 200
  static let trackLimit = 64
  static let containers =
    "matroska,mov,avi,mpegts,mpeg,ogg,flv,asf,mp3,flac,wav,w64,aac,rm,m4v,mpegvideo,nut,mxf,aiff,"
    + "ape,wv,tta,dts,ac3,eac3,caf,amr,dsf,gxf,ivf"

  /// Reads a file's headers. It blocks: call it on a separate thread.
  ///
  /// - Parameter path: the path of a file. Other files that its content names are not opened.
  /// - Returns: nil for a file without tracks, or in a format that libavformat doesn't know.
  package static func read(_ path: String) -> MediaInformation? {
    withContainer(path) { format in
      var information = MediaInformation(format)
      if information.isIncomplete {
        // The headers don't contain everything: read the first packets too.
        guard avformat_find_stream_info(format.context, nil) >= 0 else { return nil }
        information = MediaInformation(format)
      }
      return information.tracks.isEmpty ? nil : information
    }
  }

  /// Returns whether libavformat can open a file without any other file. It blocks.
  package static func canOpen(_ path: String) -> Bool {
    // An unknown version of libavformat may lay out its structures differently, and isn't asked.
    StructureLayout.current == nil
      || withContainer(path, formats: ContainerFormats.selfContained) { _ in true } == true
  }

  static func withContainer<Value>(
    _ path: String, formats: String = containers, _ body: (OpenContainer) -> Value?
  ) -> Value? {
    var context: UnsafeMutablePointer<AVFormatContext>?
    guard open(path, formats: formats, &context) >= 0, let opened = context else { return nil }
    defer { avformat_close_input(&context) }
    return OpenContainer(opened).flatMap(body)
  }

  /// Opens one file and no other.
  ///
  /// - Parameter context: nil, or an allocated context, which is freed if the file can't be opened.
  /// - Returns: an error of libavformat below zero.
  static func open(
    _ path: String, formats: String = containers,
    _ context: inout UnsafeMutablePointer<AVFormatContext>?
  ) -> CInt {
    var options: OpaquePointer?
    // Only containers are opened: a playlist with a film's name can't lead to other files.
    av_dict_set(&options, "protocol_whitelist", "file", 0)
    av_dict_set(&options, "format_whitelist", formats, 0)
    defer { av_dict_free(&options) }
    return ("file:" + path).withFileName { avformat_open_input(&context, $0, nil, &options) }
  }

  private var isIncomplete: Bool {
    duration == nil || tracks.isEmpty
      || tracks.contains { $0.kind == .video && ($0.width <= 0 || $0.height <= 0) }
  }

  private init(_ format: OpenContainer) {
    title = Self.text(format.metadata, "title")
    duration = format.duration.map { .microseconds($0) }
    chapters = format.chapterCount
    size = format.size
    container = format.formatName ?? ""
    tracks = format.streams.prefix(Self.trackLimit).compactMap { Track($0) }
  }

  static func text(_ metadata: OpaquePointer?, _ key: String) -> String? {
    guard let entry = av_dict_get(metadata, key, nil, 0) else { return nil }
    let text = String(cString: entry.pointee.value).prefix(textLimit)
    return text.isEmpty ? nil : String(text)
  }
}

extension MediaInformation.Track {
  fileprivate init?(_ stream: OpenStream) {
    switch stream.mediaType {
    // A cover isn't a video track.
    case AVMEDIA_TYPE_VIDEO where !stream.isAttachedPicture: kind = .video
    case AVMEDIA_TYPE_AUDIO: kind = .audio
    case AVMEDIA_TYPE_SUBTITLE: kind = .subtitles
    default: return nil
    }
    codec = stream.codecName
    // The code "und" means undetermined.
    language = MediaInformation.text(stream.metadata, "language").flatMap { $0 == "und" ? nil : $0 }
    title = MediaInformation.text(stream.metadata, "title")
    width = stream.width
    height = stream.height
    channels = stream.channels
    if kind == .video { framesPerSecond = stream.framesPerSecond }
  }
}
