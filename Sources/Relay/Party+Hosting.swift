import GroupActivities
import Logging

extension GroupActivities.Party {
  /// Opens a new party with a relay in this program, of which this participant is the host.
  ///
  /// The host ends the party with `leave(closesParty:)` and then the relay with
  /// ``Relay/shutdown()``.
  ///
  /// - Parameters:
  ///   - name: the name that the others see; cleaned of control characters.
  ///   - hosts: the names and addresses at which guests reach this machine, in the order in which they try them; at
  ///     least one, and each a valid host of an invite's address.
  ///   - listening: a host name or an address of this machine; `*` for all its addresses.
  ///   - port: the port on which to listen; 0 for one that the system chooses.
  ///   - logger: the relay's logger; by default nothing is logged.
  /// - Returns: the party, whose invite is for the guests, and its relay.
  /// - Throws: ``RelayError`` if the relay can't listen, `PartyError`.
  public static func host(
    name: String, at hosts: [String], listening: String = "*", port: Int = 0,
    logger: Logger = Logger(label: "Relay") { _ in SwiftLogNoOpLogHandler() }
  ) async throws -> (party: GroupActivities.Party, relay: Relay) {
    let founding = Founding()
    let key = founding.keys.admission.publicKey
    let relay = Relay(
      configuration: RelayConfiguration(admission: .only([key]), host: listening, port: port),
      logger: logger)
    do {
      try await relay.start()
      guard let port = relay.boundPort else {
        throw RelayError(.alreadyStarted, "the relay was shut down while it started")
      }
      let addresses = hosts.compactMap { Invite.Address(host: $0, port: port) }
      precondition(
        !hosts.isEmpty && addresses.count == hosts.count, "not the hosts of an invite: \(hosts)")
      let party = try await create(
        founding, addresses: addresses, name: name, transport: relay.attach(as: key))
      return (party, relay)
    } catch {
      await relay.shutdown()
      throw error
    }
  }
}
