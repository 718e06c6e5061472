import GroupActivities
import Timekeeping

/// A stay in a party that lasted to the program's end, for the lines that remain in the shell.
package struct Farewell: Hashable, Sendable {
  var time: Duration
  /// The names of the other participants who were there.
  var names: [String]
  var evening = Evening()
  /// The title of the film on the screen at the end; nil without one.
  var film: String?
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
    // The distance of a player that was out of step says nothing about the rest of the film.
    if let largestError, largestError <= PaceLimit.reach {
      let milliseconds = max(1, Int(largestError.inMilliseconds.rounded(.up)))
      parts.append("never more than \(milliseconds) ms apart")
    }
    let change = newHost.map { "; \($0) is the host now" } ?? ""
    let reactions = evening.reactions.map { "\($0.reaction.symbol) \($0.count)" }
    return films + [parts.joined(separator: " · ")]
      + (reactions.isEmpty ? [] : [reactions.joined(separator: " · ")]) + moments + [
        "You \(closes ? "closed" : "left") \(party)\(change)."
          + (key.map { " To return, start matinee and press \($0)." } ?? "")
      ]
  }

  /// The films about which people said something, or reacted to, and the last one.
  private var films: [String] {
    var titles: [String] = []
    let named = evening.remarks.compactMap(\.place?.title) + [film].compactMap { $0 }
    for title in named where !titles.contains(title) {
      titles.append(title)
    }
    return titles.isEmpty ? [] : [StoryWords.list(titles)]
  }

  private var moments: [String] {
    let shown = evening.moments.suffix(Self.momentLimit)
    return shown.map {
      "\(Reaction.moment.symbol) \(StoryWords.clock($0.place.itemTime)) "
        + StoryWords.list($0.people.map(\.name))
    }
  }

  /// The number of moments for which a screen has room beside the rest.
  private static let momentLimit = 10
}
