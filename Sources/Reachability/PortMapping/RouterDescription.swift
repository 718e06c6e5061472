/// A router on this network, for those who only want to know.
public struct RouterDescription: Hashable, Sendable {
  public var method: PortMapping.Method
  /// nil if the router doesn't tell it.
  public var externalAddress: String?

  /// Whether what it maps can be reached from the internet.
  public var isOnTheInternet: Bool {
    externalAddress.flatMap { AddressScope(of: $0) } == .everywhere
  }

  /// Those that answer, within some seconds; maps nothing.
  public static func all() async -> [RouterDescription] {
    var routers: [RouterDescription] = []
    for await found in GatewaySearch.routers() {
      routers.append(
        RouterDescription(
          method: found.gateway.method, externalAddress: try? found.externalAddress.get()))
    }
    return routers
  }
}
