import Addresses

/// A router on this network, for diagnosis without a mapping.
package struct RouterDescription: Hashable, Sendable {
  /// The protocol in which the router answers.
  package var method: PortMapping.Method
  /// The router's outer address; nil if the router doesn't report it.
  package var externalAddress: String?

  /// A Boolean value that indicates whether its mappings can be reached from the internet.
  package var isOnTheInternet: Bool {
    externalAddress.flatMap { AddressScope(of: $0) } == .everywhere
  }

  /// Returns the routers that answer within some seconds; maps nothing.
  package static func all() async -> [RouterDescription] {
    var routers: [RouterDescription] = []
    for await found in GatewaySearch.routers() {
      routers.append(
        RouterDescription(
          method: found.gateway.method, externalAddress: try? found.externalAddress.get()))
    }
    return routers
  }
}
