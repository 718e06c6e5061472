/// A TCP port of a router's outer address that leads to a port of this machine.
package struct PortMapping: Hashable, Sendable {
  /// A protocol for requests to routers.
  package enum Method: String, Hashable, Sendable, CaseIterable {
    /// RFC 6886.
    case natPMP = "NAT-PMP"
    /// The Internet Gateway Device of the UPnP Forum.
    case upnp = "UPnP"
  }

  /// The protocol in which the router granted the mapping.
  package var method: Method
  /// The router's outer address, IPv4.
  package var externalAddress: String
  /// The outer port, 1 to 65535.
  package var externalPort: Int
  /// The port of this machine.
  package var port: Int
  /// The time for which the router keeps the mapping without a new request; nil for a mapping without end.
  package var lease: Duration?
}
