/// The progress of a ``PortMapper``.
package enum PortMappingStatus: Hashable, Sendable {
  /// Routers are being asked; no answer is decisive yet.
  case searching
  /// A router leads its outer port to this machine. The mapping is renewed automatically.
  case mapped(PortMapping)
  /// A router maps ports, but its own outer address isn't one of the internet: it is behind another router
  /// (AddressScope/site), or behind its provider's (AddressScope/carrier). Nothing is mapped, since the port couldn't
  /// be reached from outside. The address is nil if the router doesn't report it.
  case behindAnotherRouter(PortMapping.Method, externalAddress: String?)
  /// A router answered, but didn't map the port.
  case refused(PortMapping.Method, PortMappingError)
  /// No router that maps ports answers.
  case noRouter
}
