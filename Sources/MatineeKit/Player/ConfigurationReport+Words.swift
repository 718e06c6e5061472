import Foundation
import GroupActivities
import MPVPlayer

/// The report about the user's mpv configuration, in words.
extension ConfigurationReport {
  /// One line for the interface; nil if all of the configuration has its effect.
  var summary: String? {
    var parts: [String] = []
    if let first = problems.first {
      // The folder is the same for all.
      let start = first.range(of: "mpv.conf:")?.lowerBound ?? first.startIndex
      let count = problems.count == 1 ? "a problem" : "\(problems.count) problems, first"
      parts.append("\(count) \(PartyText.clean(String(first[start...]), limit: 100))")
    }
    if !overridden.isEmpty { parts.append("no effect: " + overridden.joined(separator: ", ")) }
    guard !parts.isEmpty else { return nil }
    return "mpv configuration: \(parts.joined(separator: "; ")). Details: matinee doctor"
  }
}
