import Foundation
import GroupActivities
import NATSTransport
import Reachability
import Timekeeping

extension DoctorCheck {
  /// A whole party on this machine: relay, NATS client, admission, clock.
  static let relay = DoctorCheck(subject: "relay", progress: "Opening a party on this machine…") {
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

  static let network = DoctorCheck(subject: "network", progress: "") {
    let usable = LocalAddresses.usable(among: InterfaceAddress.all())
    let isPublic = usable.contains { $0.isIPv6 && $0.scope == .everywhere }
    return [
      usable.isEmpty
        ? .notice("network", "not connected; only programs on this machine can join your party")
        : .good("network", usable.map(\.text).joined(separator: ", ")),
      isPublic
        ? .good(
          "IPv6",
          "public address; to be reached by it, allow TCP port \(PartyHosting.usualPort) in your router"
        )
        : .good("IPv6", "no public IPv6 address (not required)"),
    ]
  }

  /// The same questions to the router as a host asks, without opening a port.
  static let router = DoctorCheck(subject: "router", progress: "Asking the router…") {
    let interfaces = InterfaceAddress.all()
    func reach(_ status: PortMappingStatus) -> Reach {
      Reach(host: "*", port: PartyHosting.usualPort, interfaces: interfaces, mapping: status)
    }
    let routers = await RouterDescription.all()
    guard let router = routers.first(where: { $0.isOnTheInternet }) ?? routers.first else {
      return [
        reach(.noRouter).advice.map { .notice("router", $0) }
          ?? .good("router", "not needed: this machine has a public address")
      ]
    }
    guard router.isOnTheInternet else {
      let status = PortMappingStatus.behindAnotherRouter(
        router.method, externalAddress: router.externalAddress)
      return [
        .notice(
          "router",
          reach(status).advice ?? "\(router.method.rawValue), but without a public address")
      ]
    }
    let methods = routers.map(\.method.rawValue).joined(separator: " and ")
    return [
      .good(
        "router",
        "\(methods), public address \(router.externalAddress ?? "unknown"); opens the port while you host a party"
      )
    ]
  }

  static let localParties = DoctorCheck(subject: "Avahi", progress: "Asking the Avahi daemon…") {
    do {
      let version = try await ServiceBrowser.daemonVersion()
      return [.good("Avahi", "\(version); “matinee join” lists the parties on your network")]
    } catch {
      return [
        .notice(
          "Avahi",
          "local parties can't be discovered (\(error)); Debian: apt install avahi-daemon")
      ]
    }
  }
}
