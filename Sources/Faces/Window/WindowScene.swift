import MPVPlayer
import Screening
import Timekeeping

/// The text over the picture in mpv's window: lines and signs appear, fade and disappear.
struct WindowScene: Hashable, Sendable {
  private struct Line: Hashable, Sendable {
    var id: Int
    var line: WindowText.Line
    var since: HostTime
  }

  private struct Sign: Hashable, Sendable {
    var sign: WindowText.Sign
    var since: HostTime
  }

  struct Wait: Hashable, Sendable {
    var names: [String]
    var until: HostTime?
  }

  /// The display time of a line. It fades during the last second.
  private static let life = Duration.seconds(8)
  private static let fading = Duration.seconds(1)
  private static let rise = Duration.milliseconds(3200)
  /// The interval between redraws of moving elements, and the interval of a countdown below.
  private static let step = Duration.milliseconds(80)
  private static let second = Duration.seconds(1)
  private static let limit = 6
  private static let signLimit = 12

  let reactions: Reaction.Motion
  private var lines: [Line] = []
  private var signs: [Sign] = []
  var wait: Wait?
  /// A question that the user must answer.
  var question: String?
  /// The state in which this participant isn't with the group.
  var state: String?
  var input: WindowText.Input?
  /// A Boolean value that indicates whether the mouse draws, and nothing has been drawn yet.
  var awaitsFirstLine = false

  init(reactions: Reaction.Motion = .rise) { self.reactions = reactions }

  /// - Parameter id: the identifier of the line to replace; nil for a new line.
  mutating func add(_ line: WindowText.Line, replacing id: Int? = nil, at now: HostTime) {
    let entry = Line(id: id ?? 0, line: line, since: now)
    if let id, let index = lines.firstIndex(where: { $0.id == id }) {
      lines[index] = entry
    } else {
      lines = (lines + [entry]).suffix(Self.limit)
    }
  }

  mutating func add(
    _ shape: SignShape, by author: String, color: UInt32, at now: HostTime
  ) {
    if reactions == .off { return }
    // Signs that come together appear side by side.
    let column = Double(signs.count * 5 % 7) / 7
    let sign = WindowText.Sign(
      shape: shape, author: author, color: color, column: column, height: 0)
    signs = (signs + [Sign(sign: sign, since: now)]).suffix(Self.signLimit)
  }

  /// Removes everything, because the window was replaced or closed.
  mutating func clear() { self = WindowScene(reactions: reactions) }

  /// - Returns: the text at this time, and the time of its next change without a new event; nil for none.
  mutating func text(at now: HostTime) -> (text: WindowText, next: HostTime?) {
    // While the user types, the lines that may be answered stay.
    lines.removeAll { now - $0.since >= Self.life && input == nil }
    signs.removeAll { now - $0.since >= Self.rise }
    var text = WindowText()
    var next: [HostTime] = []
    text.lines = lines.map { entry in
      var line = entry.line
      guard input == nil else { return line }
      let left = Self.life - (now - entry.since)
      line.opacity = min(1, max(0, left / Self.fading))
      next.append(left > Self.fading ? now + left - Self.fading : now + Self.step)
      return line
    }
    text.signs = signs.map { entry in
      var sign = entry.sign
      if reactions == .rise { sign.height = min(1, max(0, (now - entry.since) / Self.rise)) }
      next.append(now + Self.step)
      return sign
    }
    text.input = input
    if let question {
      text.notice = question
    } else if let wait, !wait.names.isEmpty {
      text.notice = Self.words(wait, at: now)
      if wait.until.map({ $0 > now }) ?? false { next.append(now + Self.second) }
    } else if awaitsFirstLine {
      text.notice = "Drawing: drag the mouse (u: undo, esc: leave)"
    } else if let state {
      text.notice = state
    }
    return (text, next.min())
  }

  private static func words(_ wait: Wait, at now: HostTime) -> String {
    let names = StoryWords.list(wait.names)
    guard let until = wait.until, until > now else { return "Waiting for \(names)" }
    return "Waiting for \(names) (\(Int((until - now).inSeconds.rounded(.up))) s left)"
  }
}
