import Reachability

extension DoctorCheck {
  /// - Parameter port: the port of a party's relay, unless the user chooses another.
  package static func network(port: Int) -> DoctorCheck {
    DoctorCheck(subject: "network", progress: "") {
      let usable = LocalAddresses.usable(among: InterfaceAddress.all())
      let isPublic = usable.contains { $0.isIPv6 && $0.scope == .everywhere }
      return [
        usable.isEmpty
          ? .notice("network", "not connected; only programs on this machine can join your party")
          : .good("network", usable.map(\.text).joined(separator: ", ")),
        isPublic
          ? .good(
            "IPv6",
            "public address; to be reached by it, allow TCP port \(port) in your router")
          : .good("IPv6", "no public IPv6 address (not required)"),
      ]
    }
  }

  /// The same questions to the router as a host asks, without opening a port.
  ///
  /// - Parameter advice: returns the advice to a host whose router is in this state; nil for none.
  package static func router(
    advice: @escaping @Sendable (PortMappingStatus) -> String?
  ) -> DoctorCheck {
    DoctorCheck(subject: "router", progress: "Asking the router…") {
      let routers = await RouterDescription.all()
      guard let router = routers.first(where: { $0.isOnTheInternet }) ?? routers.first else {
        return [
          advice(.noRouter).map { .notice("router", $0) }
            ?? .good("router", "not needed: this machine has a public address")
        ]
      }
      guard router.isOnTheInternet else {
        let status = PortMappingStatus.behindAnotherRouter(
          router.method, externalAddress: router.externalAddress)
        return [
          .notice(
            "router",
            advice(status) ?? "\(router.method.rawValue), but without a public address")
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
  }

  package static let localParties = DoctorCheck(
    subject: "Avahi", progress: "Asking the Avahi daemon…"
  ) {
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
