import Foundation
import GroupActivities
import NATSTransport

@testable import HostileTesting

extension HostileGuest {
  /// Joins a running party and returns once `program` has reported it. It stays until ``leave()``.
  static func joining(
    _ program: MatineeProcess, _ invite: String, name: String
  ) async throws -> HostileGuest {
    let invite = try Invite(invite)
    let keys = PartyKeys(secret: invite.secret, party: invite.party)
    let servers = try invite.addresses.map { try ServerAddress($0.text) }
    let guest = try await HostileGuest(
      invite,
      transport: NATSTransport(
        configuration: NATSConfiguration(servers: servers), admission: keys.admission,
        logger: .init(label: "hostile guest")))
    let beacon = beacon(name)
    try guest.introduce(as: beacon)
    _ = try await program.next("participant-joined") { $0.string("name") == name }
    guest.stay(saying: beacon)
    return guest
  }
}
