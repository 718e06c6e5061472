/// How far a ``PortMapper`` has come.
public enum PortMappingStatus: Hashable, Sendable {
  case searching
  case mapped(PortMapping)
  /// A router maps ports, but its own outer address isn't one of the internet's: it is behind another
  /// router (AddressScope/site), or behind its provider's (AddressScope/carrier). Nothing is mapped,
  /// since nobody outside could reach it. The address is nil if the router doesn't tell it.
  case behindAnotherRouter(PortMapping.Method, externalAddress: String?)
  /// A router is there, but didn't map the port.
  case refused(PortMapping.Method, PortMappingError)
  /// No router answers that maps ports.
  case noRouter
}
