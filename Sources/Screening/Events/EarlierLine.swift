import GroupActivities

/// A line of the chat that was sent before this participant came back.
package struct EarlierLine: Hashable, Sendable, Codable {
  package var id: Participant.ID
  package var name: String
  package var text: String
  package var secondsAgo: Int

  package init(_ author: ScreeningEvent.Person, _ text: String, secondsAgo: Int) {
    (id, name) = (author.id, author.name)
    self.text = text
    self.secondsAgo = secondsAgo
  }
}
