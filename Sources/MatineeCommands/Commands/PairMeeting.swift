import GroupActivities
import Logging
import MatineeKit
import NATSTransport
import Screening

/// The party in which two machines compare their sounds. No router maps a port for it, and it isn't announced.
struct PairMeeting: Sendable {
  let party: Party
  /// The server of the party that this program opened; nil if it joined.
  private let hosting: PartyHosting?

  var isHost: Bool { hosting != nil }

  /// Opens a party.
  ///
  /// - Parameter address: nil for all addresses, and the usual port or the next free one.
  init(listeningOn address: ListenAddress?) async throws {
    var options = PartyHosting.Options()
    if let address { (options.host, options.port) = (address.host, address.port) }
    options.mapsPort = false
    options.announces = false
    let founding = Party.Founding()
    let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
    do {
      party = try await Party.create(
        founding, addresses: hosting.addresses, name: "A", transport: transport)
    } catch {
      await hosting.stop()
      throw error
    }
    self.hosting = hosting
  }

  /// Joins the party of the other machine.
  init(joining invite: Invite) async throws {
    party = try await Party.join(invite: invite, name: "B", logger: .ofTransport)
    hosting = nil
  }

  func end() async {
    await party.leave()
    await hosting?.stop()
  }
}
