import Concurrency

/// The path of the next screenshot, which mpv before 0.38 reports in its log only.
struct ScreenshotReport: Sendable {
  private var written: OneShot<String?>?

  /// A screenshot begins. Its path goes to the newest caller.
  mutating func began() -> OneShot<String?> {
    let written = OneShot<String?>()
    self.written = written
    return written
  }

  /// Takes a line of mpv's log.
  func logged(_ line: String) {
    if let path = Self.path(inLog: line) { written?.fulfil(path) }
  }

  /// Returns the path in mpv's log message for a screenshot.
  static func path(inLog line: String) -> String? {
    guard line.hasPrefix("Screenshot: '"), line.hasSuffix("'") else { return nil }
    return String(line.dropFirst("Screenshot: '".count).dropLast())
  }
}
