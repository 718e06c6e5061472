import GroupActivities

/// A problem with a remembered party or host.
enum RejoinProblem: Error, Hashable, CustomStringConvertible {
  case unknown
  case inIt
  /// Another program of this user is in the party.
  case open
  /// The record of the party, or the lock of its identity, can't be used.
  case unreadable(String)
  case nobodyHere
  case unreachable(PartyError)
  case notTrusted(String)

  package var description: String {
    switch self {
    case .unknown: "Unknown party. Join it with its invite."
    case .inIt: "You are already in this party."
    case .open: "This party is open in another Matinee. Continue there, or quit that one first."
    case .unreadable(let reason):
      "Can't read who you are in this party (\(reason)). Nothing was changed. Restart Matinee and try again."
    case .nobodyHere:
      "Nobody is in this party. Try again once its host has opened it, or ask for a new invite."
    case .unreachable(let error):
      "Can't reach this party (\(error)). Try again once its host is online, or ask for a new invite."
    case .notTrusted(let host): "\(host) isn't one of the trusted servers."
    }
  }
}
