import Foundation
import GroupActivities
import Logging

extension Party {
  /// Joins a party through its invite, over the relay or the NATS servers that the invite names.
  ///
  /// The addresses are tried in the invite's order, and the first server that admits the party is used. If no
  /// participant answers there, the other addresses get a second attempt: in the guest's network a private address, which
  /// is common in homes, may lead to another relay. A relay that doesn't admit this party loses to one that does; one
  /// that admits all parties may win, but then it is empty.
  ///
  /// - Parameters:
  ///   - invite: the invite, which `Invite(_:)` parses.
  ///   - identity: the identity of an earlier stay, to return as the same participant; otherwise a new one.
  ///   - name: the name that the others see; cleaned of control characters.
  ///   - policyLog: the party's `policyLog` of the last stay; nil for none.
  ///   - door: the door through which the participant's user comes in; nil for a program of its own.
  ///   - configuration: the settings for the connection. Its servers are used instead of the invite's addresses, unless
  ///     there are none.
  ///   - logger: the transport's logger; by default nothing is logged.
  /// - Throws: `PartyError.transport` if no server can be reached or none admits the party, `PartyError.nobodyHere` if
  ///   no participant answers, `PartyError.otherProtocol` if they speak another version of the protocol, `PartyError.damagedPolicyLog`.
  public static func join(
    invite: Invite, as identity: ParticipantIdentity = ParticipantIdentity(), name: String,
    policyLog: Data? = nil, door: Participant.Door? = nil,
    through configuration: NATSConfiguration = NATSConfiguration(servers: []),
    logger: Logger = Logger(label: "NATSTransport") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(PartyError) -> Party {
    let servers = try configuration.servers(orElseOf: invite)
    let admission = PartyKeys(secret: invite.secret, party: invite.party).admission
    func transport(to servers: [ServerAddress]) -> NATSTransport {
      var configuration = configuration
      configuration.servers = servers
      return NATSTransport(configuration: configuration, admission: admission, logger: logger)
    }
    let first = transport(to: servers)
    do throws(PartyError) {
      return try await join(
        invite, as: identity, name: name, transport: first, policyLog: policyLog, door: door,
        deadline: .seconds(servers.count > 1 ? 5 : 10))
    } catch {
      let others = servers.filter { $0 != first.server }
      guard error == .nobodyHere, !others.isEmpty else { throw error }
      do throws(PartyError) {
        return try await join(
          invite, as: identity, name: name, transport: transport(to: others), policyLog: policyLog,
          door: door)
      } catch let second {
        // The report that the party is empty is more useful than the second error.
        if case .transport = second { throw error }
        throw second
      }
    }
  }
}

extension NATSConfiguration {
  /// Returns the servers, or the invite's addresses if there are none.
  fileprivate func servers(orElseOf invite: Invite) throws(PartyError) -> [ServerAddress] {
    guard servers.isEmpty else { return servers }
    do throws(TransportError) {
      return try invite.addresses.map { address throws(TransportError) in
        try ServerAddress(address.text)
      }
    } catch {
      throw .transport(error)
    }
  }
}
