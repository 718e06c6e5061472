import Foundation

/// A live stream over HTTP: dated segments of a second each, with a new one every second.
final class LiveServer: Sendable {
  /// The number of segments in a playlist.
  private static let window = 12
  /// The age of the stream at the server's start.
  private static let head: TimeInterval = 15

  let port: UInt16
  private let listener: HTTPListener

  /// - Parameters:
  ///   - folder: with `000.ts`, `001.ts` and so on.
  ///   - began: the time of the first segment; two servers with one beginning show one event.
  init(_ folder: URL, began: Date) throws {
    listener = try HTTPListener { request in
      let name = request.target.split(separator: "/").last.map(String.init) ?? ""
      let body: Data?
      if name.hasSuffix(".m3u8") {
        body = Data(Self.playlist(began).utf8)
      } else {
        body = try? Data(contentsOf: folder.appendingPathComponent(name))
      }
      guard let body else {
        request.send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
        return
      }
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      request.send(Data(head.utf8) + body)
    }
    port = listener.port
  }

  var url: String { "http://127.0.0.1:\(port)/live.m3u8" }

  private static func playlist(_ began: Date) -> String {
    let count = min(Clips.liveSeconds, Int(Date().timeIntervalSince(began) + head))
    let first = max(0, count - window)
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(first)",
    ]
    for number in first..<count {
      let date = began.addingTimeInterval(Double(number) - head)
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      lines += [
        "#EXT-X-PROGRAM-DATE-TIME:\(date.formatted(style))", "#EXTINF:1.000000,",
        String(format: "%03d.ts", number),
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
