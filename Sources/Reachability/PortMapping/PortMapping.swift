/// A TCP port of a router's outer address that leads to a port of this machine.
public struct PortMapping: Hashable, Sendable {
  /// How routers are asked.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// RFC 6886.
    case natPMP = "NAT-PMP"
    /// The Internet Gateway Device of the UPnP Forum.
    case upnp = "UPnP"
  }

  public var method: Method
  /// The router's outer address, IPv4.
  public var externalAddress: String
  /// 1 to 65535.
  public var externalPort: Int
  /// The port of this machine.
  public var port: Int
  /// How long the router keeps it without being asked again; nil for ever.
  public var lease: Duration?

  public init(
    method: Method, externalAddress: String, externalPort: Int, port: Int, lease: Duration?
  ) {
    self.method = method
    self.externalAddress = externalAddress
    self.externalPort = externalPort
    self.port = port
    self.lease = lease
  }
}

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

/// What a router, or the library that asks it, said instead of yes.
public struct PortMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case noAnswer
    /// The outer port leads elsewhere.
    case portTaken
    /// The router only keeps mappings for ever.
    case onlyPermanentLeases
    /// The router has no outer address that it tells.
    case noExternalAddress
    case refused
  }

  public var kind: Kind
  /// Of libnatpmp (`natpmp.h`) or libminiupnpc (`upnpcommands.h`, or the router's own).
  public var code: Int32
  public var operation: String
  public var text: String

  public init(kind: Kind, code: Int32, operation: String, text: String) {
    self.kind = kind
    self.code = code
    self.operation = operation
    self.text = text
  }

  public var description: String { "\(operation): \(text) (\(code))" }
}
