import Foundation
import MPVPlayer
import Screening

/// The delay of this participant's screen and speaker that mpv doesn't know about, as the user enters it.
package struct LatencyOffset: Hashable, Sendable {
  package struct Problem: Error, Hashable, CustomStringConvertible {
    package var description: String
  }

  /// The delay, within `MPVPlayer.outputLatencies`.
  package let duration: Duration

  static let zero = LatencyOffset(clamping: .zero)

  /// The change by one key press. mpv's keys change its audio delay by 100 ms; but two players in one room are already
  /// heard as two if they are 20 ms apart.
  static let step = Duration.milliseconds(10)

  package init(clamping duration: Duration) {
    let range = MPVPlayer.outputLatencies
    self.duration = min(max(duration, range.lowerBound), range.upperBound)
  }

  /// Parses a text: `180` and `180ms` are milliseconds, `0.18s` is seconds.
  ///
  /// - Throws: ``Problem`` with a description of the expected input.
  package init(parsing text: String) throws(Problem) {
    guard let duration = ArgumentText.delay(text) else {
      throw Problem(
        description: "“\(text.prefix(40))” isn't a latency offset. Examples: 180, 180ms, 0.18s.")
    }
    guard MPVPlayer.outputLatencies.contains(duration) else {
      throw Problem(
        description: "A latency offset must be between -2000 and 10000 ms, not \(text).")
    }
    self.duration = duration
  }

  /// The offset for the user: "+180 ms", "0 ms", "-12.5 ms".
  var text: String { StoryWords.delay(duration) }
}
