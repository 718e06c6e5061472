import GroupActivities

extension Participant.Door {
  /// The mark of a participant that came through the door: "browser, through Ana", "Syncplay, through Ana, not encrypted".
  ///
  /// - Parameter name: the name of a participant who is present.
  package func words(name: (Participant.ID) -> String?) -> String {
    let kind =
      switch kind {
      case .browser: "browser"
      case .syncplay, .encryptedSyncplay: "Syncplay"
      }
    let way = name(keeper).map { "\(kind), through \($0)" } ?? kind
    return self.kind == .syncplay ? way + ", not encrypted" : way
  }
}
