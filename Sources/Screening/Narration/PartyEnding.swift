import GroupActivities

/// The end of a party that this participant didn't leave by its own choice.
package enum PartyEnding: Hashable, Sendable {
  /// A host closed the party, or quit the program that was its relay. The value is the host's name.
  case closed(by: String)
  /// A host removed this participant. The value is the host's name.
  case removed(by: String)
  /// The connection ended permanently. The value is the reason.
  case failed(String)

  package var sentence: String {
    switch self {
    case .closed(let name): "\(name) closed the party."
    case .removed(let name): "\(name) removed you from the party."
    case .failed(let reason):
      "Disconnected: \(PartyText.clean(reason, limit: 200))\(reason.hasSuffix(".") ? "" : ".")"
    }
  }

  /// The name of the host who closed the party; nil if it ended otherwise.
  package var closer: String? {
    switch self {
    case .closed(let name): name
    case .removed, .failed: nil
    }
  }

  /// A Boolean value that indicates whether the party admits this participant again.
  package var allowsRejoining: Bool {
    switch self {
    case .closed, .failed: true
    case .removed: false
    }
  }
}
