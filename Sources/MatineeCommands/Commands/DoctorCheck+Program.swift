import Doctor
import Foundation
import GroupActivities
import MatineeKit
import NATSTransport
import Reachability
import Screening
import Timekeeping

/// The checks of this program: those of the library with its own settings and relay.
extension DoctorCheck {
  /// All checks, in the order of the report.
  static var all: [DoctorCheck] {
    [
      terminal, display, player, configuration, sound, webPages,
      installation { try? ConfigurationFolder.File($0).text },
      ownFiles(in: ConfigurationFolder.path()) { folder in
        try StartArguments.problems(of: ["watch", "host", "join", "relay"])
          + UserFiles(folder: folder).warnings
      },
      sessionBus, relay, network(port: PartyHosting.usualPort), router(advice: advice),
      localParties,
    ]
  }

  /// The same advice as a host gets.
  private static func advice(_ status: PortMappingStatus) -> String? {
    Reach(
      host: "*", port: PartyHosting.usualPort, interfaces: InterfaceAddress.all(), mapping: status
    ).advice
  }

  /// A whole party on this machine: relay, NATS client, admission, clock.
  private static let relay = DoctorCheck(
    subject: "relay", progress: "Opening a party on this machine…"
  ) {
    let founding = Party.Founding()
    var options = PartyHosting.Options()
    options.host = "127.0.0.1"
    options.port = 0
    do {
      let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
      let host = try await Party.create(
        founding, addresses: hosting.addresses, name: "host", transport: transport)
      let keys = PartyKeys(secret: host.invite.secret, party: host.invite.party)
      let client = NATSTransport(
        configuration: NATSConfiguration(
          servers: try hosting.addresses.map { address in try ServerAddress(address.text) }),
        admission: keys.admission, logger: .ofTransport)
      let guest = try await Party.join(host.invite, name: "guest", transport: client)
      let reading = guest.clock.reading
      await guest.leave()
      await host.leave()
      await hosting.stop()
      let clock =
        reading.map { String(format: "in sync to ±%.2f ms", $0.uncertainty.inMilliseconds) }
        ?? "not in sync yet"
      return [.good("relay", "a party on this machine works"), .good("clock", clock)]
    } catch {
      return [.bad("relay", ErrorAdvice.text(of: error))]
    }
  }
}
