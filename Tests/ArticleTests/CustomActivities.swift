import GroupActivities

struct ChooseFilm: GroupActivity {
  static let activityIdentifier = "org.example.choose-film"

  let question: String
  let films: [String]

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .generic, title: question)
  }
}

struct Vote: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "org.example.choose-film.vote"

  let film: String
}

actor Ballot {
  nonisolated let session: GroupSession<ChooseFilm>
  private(set) var votes: [Participant.ID: String] = [:]
  private let messenger: GroupSessionMessenger
  private var present: Set<Participant> = []
  private var tasks: [Task<Void, Never>] = []

  init(session: GroupSession<ChooseFilm>) {
    self.session = session
    messenger = GroupSessionMessenger(session: session)
  }

  deinit { for task in tasks { task.cancel() } }

  /// Joins the session and counts the others' votes from now on.
  func join() async {
    let messages = messenger.messages(of: Vote.self)
    let participants = session.activeParticipantsUpdates
    tasks = [
      Task { [weak self] in
        for await (vote, context) in messages { await self?.count(vote, of: context.source) }
      },
      Task { [weak self] in
        for await participants in participants { await self?.greet(Set(participants)) }
      },
    ]
    await session.join()
  }

  func vote(for film: String) async throws {
    votes[await session.localParticipant.id] = film
    try await messenger.send(Vote(film: film))
  }

  private func count(_ vote: Vote, of voter: Participant) {
    // Other participants may send anything; only votes for one of the films count.
    guard session.activity.films.contains(vote.film) else { return }
    votes[voter.id] = vote.film
  }

  /// Sends this participant's own vote to newcomers.
  private func greet(_ participants: Set<Participant>) async {
    let newcomers = participants.subtracting(present)
    present = participants
    let me = await session.localParticipant
    guard let film = votes[me.id], !newcomers.subtracting([me]).isEmpty else { return }
    try? await messenger.send(Vote(film: film), to: .only(newcomers.subtracting([me])))
  }
}
