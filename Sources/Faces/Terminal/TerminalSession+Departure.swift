import GroupActivities
import MatineeKit
import Screening
import TerminalUI

/// Leaving a party that ends with this program: the user is asked first.
extension TerminalSession {
  /// The command that replaces the party.
  enum Departure: Hashable, Sendable {
    case quit
    case join(String?)
    case rejoin(String)

    /// Returns the departure that a command means; nil for other commands.
    ///
    /// - Parameter lastParty: the id of the last party that can be rejoined.
    init?(_ command: UserCommand, lastParty: String?) {
      if command == .quit {
        self = .quit
      } else if case .join(let invite) = command {
        self = .join(invite)
      } else if case .rejoin(let id) = command, let party = id ?? lastParty {
        self = .rejoin(party)
      } else {
        return nil
      }
    }

    /// The question's identifier.
    static let question = "departure"

    /// - Parameter canKeep: a Boolean value that indicates whether this machine can relay for the others afterwards.
    func question(closingFor others: Int, canKeepRelay canKeep: Bool) -> QuestionModel {
      let (doing, yes) =
        switch self {
        case .quit: ("Quit", "Quit and close the party")
        case .join, .rejoin: ("Leave", "Leave and close the party")
        }
      let count = others == 1 ? "1 other" : "\(others) others"
      return QuestionModel(
        id: Self.question, text: TerminalText("\(doing) and close the party for \(count)?"),
        // A second q, typed by habit, doesn't answer the question.
        choices: [.init(id: "yes", key: "y", title: TerminalText(yes))]
          + (canKeep && self == .quit
            ? [.init(id: "keep", key: "k", title: "Quit, keep relaying")] : [])
          + [.init(id: "stay", key: "s", title: "Stay")])
    }
  }

  /// Carries out the command, or asks first if the party would end for other participants.
  func leave(for departure: Departure) async throws {
    let others = await program.othersLosingParty
    guard others > 0 else { return try await perform(departure) }
    self.departure = departure
    question = departure.question(
      closingFor: others, canKeepRelay: await program.canKeepRelay)
  }

  func perform(_ departure: Departure) async throws {
    switch departure {
    case .quit: quits = true
    case .join(let invite): try await perform(.join(invite: invite), showing: "Joining…")
    case .rejoin(let party):
      let isOwn = library.remembered.parties.first { $0.id == party }?.isHost ?? false
      try await perform(
        .rejoin(party), showing: isOwn ? "Reopening your party…" : "Rejoining…")
    }
  }

  /// - Parameter words: the message while the command is carried out.
  private func perform(_ command: UserCommand, showing words: String) async throws {
    show(words, .information)
    let shown = message?.until
    await render()
    try await program.perform(command)
    if message?.until == shown { message = nil }
  }
}
