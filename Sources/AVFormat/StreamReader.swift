import CAVFormat
import Foundation
import Timekeeping

/// Reads a few bytes of a stream that mpv is going to play, with the same library and so by the same protocols.
///
/// Blocks: call it on a separate thread.
package enum StreamReader {
  /// The time without data after which a server is given up.
  private static let patience = Duration.seconds(5)

  /// The allowed protocols. Playlists and redirects lead to the network: files are never opened.
  private static let protocols = "http,https,tcp,tls,crypto,httpproxy,concat"

  /// The allowed formats of a segment. Playlists are excluded because they lead to other addresses.
  private static let formats =
    "mpegts,mpeg,mov,mp4,matroska,webm,aac,mp3,ac3,eac3,flac,ogg,wav,webvtt"

  private static func withOptions<R>(
    _ access: ServerAccess, _ body: (inout OpaquePointer?) -> R
  ) -> R {
    var options: OpaquePointer?
    access.set(&options)
    av_dict_set(&options, "protocol_whitelist", protocols, 0)
    av_dict_set(&options, "rw_timeout", String(patience.inNanoseconds / 1000), 0)
    av_dict_set(&options, "user_agent", "libmpv", 0)
    defer { av_dict_free(&options) }
    return body(&options)
  }

  /// Returns whether libavformat finds no format in the data of a stream. A stream that can't be read isn't judged.
  package static func isUnknown(
    _ location: String, _ access: ServerAccess, _ probe: StreamProbe
  ) -> Bool {
    access.look {
      var context: UnsafeMutablePointer<AVIOContext>?
      var interrupt = probe.interrupt
      let code = withOptions(access) {
        avio_open2(&context, location, AVIO_FLAG_READ, &interrupt, &$0)
      }
      guard code >= 0, let opened = context else { return false }
      defer { withExtendedLifetime(probe) { _ = avio_closep(&context) } }
      var format: UnsafePointer<AVInputFormat>?
      return av_probe_input_buffer2(opened, &format, location, nil, 0, 0) == matinee_invalid_data
    }
  }

  /// - Returns: nil if the text can't be read, isn't UTF-8, is longer than `limit` (in bytes), or takes too long.
  static func text(_ url: URL, limit: Int, _ access: ServerAccess, _ probe: StreamProbe) -> String?
  {
    var context: UnsafeMutablePointer<AVIOContext>?
    var interrupt = probe.interrupt
    let code = withOptions(access) {
      avio_open2(&context, url.absoluteString, AVIO_FLAG_READ, &interrupt, &$0)
    }
    guard code >= 0, context != nil else { return nil }
    defer { withExtendedLifetime(probe) { _ = avio_closep(&context) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 32 * 1024)
    while true {
      let count = avio_read(context, &buffer, Int32(buffer.count))
      guard count > 0 else { break }
      bytes += buffer.prefix(Int(count))
      guard bytes.count <= limit else { return nil }
    }
    guard !probe.isOver else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns the time stamp of a segment's first picture, or else of its first sound.
  static func start(
    of segment: URL, map: URL?, _ access: ServerAccess, _ probe: StreamProbe
  ) -> MediaTime? {
    let name = map.map { "concat:\($0.absoluteString)|\(segment.absoluteString)" }
    // avformat_open_input frees the context if it fails.
    var context = avformat_alloc_context()
    guard let unopened = context, let format = OpenContainer(unopened) else {
      avformat_free_context(context)
      return nil
    }
    format.interrupt(with: probe.interrupt)
    let code = withOptions(access) {
      av_dict_set(&$0, "format_whitelist", formats, 0)
      return avformat_open_input(&context, name ?? segment.absoluteString, nil, &$0)
    }
    guard code >= 0 else { return nil }
    defer { withExtendedLifetime(probe) { avformat_close_input(&context) } }
    guard avformat_find_stream_info(format.context, nil) >= 0 else { return nil }
    let started = format.streams.filter { $0.startTime != nil }
    let stream = started.first { $0.mediaType == AVMEDIA_TYPE_VIDEO } ?? started.first
    return stream?.startTime.map { MediaTime(seconds: $0) }
  }
}
