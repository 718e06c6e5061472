import Foundation
import GroupActivities

/// The question to all participants whether they are ready.
package struct ReadyCheckMessage: Codable, Sendable, CustomMessageIdentifiable {
  package static let messageIdentifier = "ready-check"

  package init() {}
}

/// The number of seconds until the film starts, after a ready check.
package struct CountdownMessage: Codable, Sendable, CustomMessageIdentifiable {
  package static let messageIdentifier = "countdown"

  package var seconds: Int

  package init(seconds: Int) { self.seconds = seconds }
}

/// The message of a reaction. It is delivered at once or not at all, since a late one would be confusing.
package struct ReactionMessage: Codable, Sendable, CustomMessageIdentifiable {
  package static let messageIdentifier = "reaction"

  package var reaction: Reaction

  package init(reaction: Reaction) { self.reaction = reaction }
}

/// The request to make a part of a smaller copy next, for which a player waits. It goes to the copy's owner.
package struct PartRequest: Hashable, Codable, Sendable, CustomMessageIdentifiable {
  package static let messageIdentifier = "part"

  package var copy: UUID
  package var index: Int

  package init(copy: UUID, index: Int) { (self.copy, self.index) = (copy, index) }
}
