import GroupActivities
import NKeys

/// A process of its own that relays for a party after the program with the party's relay has ended, until the last
/// participant has left.
struct KeptRelay: Sendable {
  /// The reason why no relay is kept, for the user.
  enum Problem: Error, Hashable, CustomStringConvertible {
    case noRelay, endsWithHost

    var description: String {
      switch self {
      case .noRelay: "Your program isn't this party's relay. To quit, type: quit"
      case .endsWithHost: "This party ends with its host. Change that first: lifetime automatic"
      }
    }
  }

  /// The command of the program that runs it.
  static let commandName = "kept-relay"

  /// The arguments of the command. None of them is secret.
  let arguments: [String]

  /// - Parameters:
  ///   - relay: the relay of this program.
  ///   - isHosts: true for the relay with which the party was opened: only that is mapped at the router, and announced.
  init(
    _ relay: StandbyRoom.OwnRelay, for party: Party, isHosts: Bool, _ options: PartyHosting.Options
  ) {
    let host = relay.listensOn.contains(":") ? "[\(relay.listensOn)]" : relay.listensOn
    let invite = party.invite
    let key = PartyKeys(secret: invite.secret, party: invite.party).admission.publicKey
    arguments =
      [
        Self.commandName, "--listen", "\(host):\(relay.port)", "--admits",
        NKey.text(of: key, role: .user), "--party", "\(invite.party)",
      ] + (isHosts && options.mapsPort ? [] : ["--no-port-mapping"])
      + (isHosts && options.announces ? [] : ["--no-announce"])
  }

  /// Starts the process, in a session of its own: it outlives this program and its terminal.
  ///
  /// - Returns: false if the system refuses.
  func start() -> Bool {
    DetachedProcess.start("/proc/self/exe", ["matinee"] + arguments, in: .session) != nil
  }
}
