import GroupActivities
import NKeys

/// A process of its own that relays for a party after the program of its host has ended, until the last participant has
/// left.
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

  init?(of hosting: PartyHosting, for party: Party, _ options: PartyHosting.Options) {
    guard let port = hosting.port else { return nil }
    let host = hosting.listensOn.contains(":") ? "[\(hosting.listensOn)]" : hosting.listensOn
    arguments =
      [
        Self.commandName, "--listen", "\(host):\(port)", "--admits",
        NKey.text(of: hosting.admissionKey, role: .user), "--party", "\(party.invite.party)",
      ] + (options.mapsPort ? [] : ["--no-port-mapping"])
      + (options.announces ? [] : ["--no-announce"])
  }

  /// Starts the process, in a session of its own: it outlives this program and its terminal.
  ///
  /// - Returns: false if the system refuses.
  func start() -> Bool {
    DetachedProcess.start("/proc/self/exe", ["matinee"] + arguments, in: .session) != nil
  }
}
