import GroupActivities
import Screening

/// The message of a reaction. It is delivered at once or not at all, since a late one would be confusing.
struct ReactionMessage: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "reaction"

  var reaction: Reaction
}

extension Theater {
  func react(_ reaction: Reaction) async throws {
    guard let session, let party else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session, deliveryMode: .unreliable)
      .send(ReactionMessage(reaction: reaction))
    emit(.reaction(.init(await party.localParticipant), reaction))
  }

  func followReactions(in session: GroupSession<FilmActivity>) async {
    let messages = GroupSessionMessenger(session: session, deliveryMode: .unreliable)
      .messages(of: ReactionMessage.self)
    for await (message, context) in messages {
      emit(.reaction(.init(context.source), message.reaction))
    }
  }
}
