import Timekeeping

/// The player's errors about the stream that was opened last, which explain why it can't be opened.
package struct StreamLog: Hashable, Sendable {
  /// The maximum number of lines that are kept for one stream.
  static let limit = 20
  /// The time after a failure for which lines are still kept. mpv delivers its log late, and yt-dlp may report its
  /// error late.
  static let patience = Duration.seconds(2)

  package private(set) var lines: [String] = []
  private var until: HostTime?

  package init() {}

  /// Another film is opened.
  package mutating func begin() { self = StreamLog() }

  /// The film couldn't be opened.
  package mutating func failed(at now: HostTime) { until = now + Self.patience }

  /// Keeps a line.
  ///
  /// - Parameter isOpening: true while a stream is being opened.
  package mutating func keep(_ text: String, isOpening: Bool, at now: HostTime) {
    guard isOpening || until.map({ now < $0 }) ?? false else { return }
    lines.append(text)
    if lines.count > Self.limit { lines.removeFirst() }
  }
}
