import GroupActivities
import Timekeeping

/// A stay in a party that lasted to the program's end, for the lines that remain in the shell.
package struct Farewell: Hashable, Sendable {
  var time: Duration
  /// The names of the other participants who were there.
  var names: [String]
  /// The number of reactions of all participants.
  var reactions = 0
  /// The largest distance from the group; nil without a measurement.
  var largestError: Duration?
  /// The name of the participant who is the host from now on; nil for no change.
  var newHost: String?
  /// A Boolean value that indicates whether the party ended for the others too.
  var closes = false

  /// Returns the lines.
  ///
  /// - Parameters:
  ///   - party: the party's name.
  ///   - key: the key that returns to the party; nil without a way back.
  package func lines(party: String, key: String?) -> [String] {
    let minutes = max(1, Int(time.inSeconds / 60))
    let rest = minutes % 60
    let length =
      minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(rest < 10 ? "0" : "")\(rest)"
    var parts = ["\(length) with \(StoryWords.list(names))"]
    if reactions > 0 { parts.append("\(reactions) reaction\(reactions == 1 ? "" : "s")") }
    // The distance of a player that was out of step says nothing about the rest of the film.
    if let largestError, largestError <= PaceLimit.reach {
      let milliseconds = max(1, Int(largestError.inMilliseconds.rounded(.up)))
      parts.append("never more than \(milliseconds) ms apart")
    }
    let change = newHost.map { "; \($0) is the host now" } ?? ""
    return [
      parts.joined(separator: " · "),
      "You \(closes ? "closed" : "left") \(party)\(change)."
        + (key.map { " To return, start matinee and press \($0)." } ?? ""),
    ]
  }
}
