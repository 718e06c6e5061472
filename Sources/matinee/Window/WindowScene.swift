import MPVPlayer
import Timekeeping

/// What is over the picture in mpv's window now: lines and signs come, fade and go.
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

  /// So long a line can be read, in the last second of which it fades.
  private static let life = Duration.seconds(8)
  private static let fading = Duration.seconds(1)
  private static let rise = Duration.milliseconds(3200)
  /// How often what moves is drawn, and what counts down.
  private static let step = Duration.milliseconds(80)
  private static let second = Duration.seconds(1)
  private static let limit = 6
  private static let signLimit = 12

  private var lines: [Line] = []
  private var signs: [Sign] = []
  var wait: Wait?
  /// What the person has to decide.
  var question: String?
  /// The state in which this participant isn't with the group.
  var state: String?
  var input: WindowText.Input?
  /// A Boolean value that indicates whether the mouse draws, and nothing has been drawn yet.
  var awaitsFirstLine = false

  /// - Parameter id: another line's that this one replaces; nil for one of its own.
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
    // Side by side, those that come together.
    let column = Double(signs.count * 5 % 7) / 7
    let sign = WindowText.Sign(
      shape: shape, author: author, color: color, column: column, height: 0)
    signs = (signs + [Sign(sign: sign, since: now)]).suffix(Self.signLimit)
  }

  /// Nothing of before: the window is another one, or gone.
  mutating func clear() { self = WindowScene() }

  /// - Returns: what is to be seen, and when that is another thing though nothing happens; nil for never.
  mutating func text(at now: HostTime) -> (text: WindowText, next: HostTime?) {
    // While somebody types, what is answered stays.
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
      sign.height = min(1, max(0, (now - entry.since) / Self.rise))
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
