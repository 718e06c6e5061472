import GroupActivities

extension Participant.Door {
  /// The mark of a participant that came through the door: "browser, through Ana".
  ///
  /// - Parameter name: the name of a participant who is present.
  package func words(name: (Participant.ID) -> String?) -> String {
    let kind =
      switch kind {
      case .browser: "browser"
      case .syncplay: "Syncplay"
      }
    return name(keeper).map { "\(kind), through \($0)" } ?? kind
  }
}
