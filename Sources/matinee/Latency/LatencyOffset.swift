import ArgumentParser
import Foundation
import MPVPlayer
import Timekeeping

/// The delay of this participant's screen and speaker that mpv doesn't know of, as people write it.
struct LatencyOffset: Hashable, Sendable {
  struct Problem: Error, Hashable, CustomStringConvertible { var description: String }

  /// Within `MPVPlayer.outputLatencies`.
  let duration: Duration

  static let zero = LatencyOffset(clamping: .zero)

  /// What a key changes it by. mpv's keys change its audio delay by 100 ms; in one room two players that are 20 ms
  /// apart are heard as two already.
  static let step = Duration.milliseconds(10)

  init(clamping duration: Duration) {
    let range = MPVPlayer.outputLatencies
    self.duration = min(max(duration, range.lowerBound), range.upperBound)
  }

  /// `180` and `180ms` are milliseconds, `0.18s` seconds.
  ///
  /// - Throws: ``Problem``, which says what was expected.
  init(parsing text: String) throws(Problem) {
    var number = text.filter { $0 != " " }.lowercased()
    var factor = 0.001
    if number.hasSuffix("ms") {
      number.removeLast(2)
    } else if number.hasSuffix("s") {
      number.removeLast()
      factor = 1
    }
    guard number.allSatisfy({ "+-.0123456789".contains($0) }), let value = Double(number) else {
      throw Problem(
        description: "“\(text.prefix(40))” isn't a latency offset. Examples: 180, 180ms, 0.18s.")
    }
    let duration = Duration(clampingSeconds: value * factor)
    guard MPVPlayer.outputLatencies.contains(duration) else {
      throw Problem(
        description: "A latency offset must be between -2000 and 10000 ms, not \(text).")
    }
    self.duration = duration
  }

  /// "+180 ms", "0 ms", "-12.5 ms"
  var text: String {
    let milliseconds = (duration.inMilliseconds * 10).rounded() / 10
    return milliseconds == 0 ? "0 ms" : String(format: "%+g ms", milliseconds)
  }
}
