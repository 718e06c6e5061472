import GroupActivities
import NATSProtocol
import Relay
import Screening

/// A process of its own that relays for a party after the program with the party's relay has ended, until the last
/// participant has left.
package struct KeptRelay: Sendable {
  /// The command of the program that runs it.
  package static let commandName = "kept-relay"

  /// The arguments of the command. None of them is secret.
  let arguments: [String]

  /// - Parameters:
  ///   - relay: the relay of this program.
  ///   - isHosts: true for the relay with which the party was opened: only that is mapped at the router, and announced.
  init(
    _ relay: OwnRelay, for party: Party, isHosts: Bool, _ options: PartyHosting.Options
  ) {
    let host = relay.listensOn.contains(":") ? "[\(relay.listensOn)]" : relay.listensOn
    let invite = party.invite
    let keys = PartyHosting.admittedKeys(invite.secret, invite.party)
    arguments =
      [
        Self.commandName, "--listen", "\(host):\(relay.port)", "--party", "\(invite.party)",
      ] + keys.flatMap { ["--admits", NKey.text(of: $0, role: .user)] }
      + (isHosts && options.mapsPort ? [] : ["--no-port-mapping"])
      + (isHosts && options.announces ? [] : ["--no-announce"])
      + (options.certificate.map {
        ["--tls-certificate", $0.certificateFile, "--tls-key", $0.keyFile]
      } ?? [])
  }

  /// Starts the process, in a session of its own: it outlives this program and its terminal.
  ///
  /// - Returns: false if the system refuses.
  package func start() -> Bool {
    DetachedProcess.start("/proc/self/exe", ["matinee"] + arguments, in: .session) != nil
  }
}
