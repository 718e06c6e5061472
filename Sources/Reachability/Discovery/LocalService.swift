/// A service that a machine on the local network offers, as DNS-SD (RFC 6763) describes it. Whatever
/// was found was said by somebody on this network who may be lying.
public struct LocalService: Hashable, Sendable {
  /// What people see in a list: any text up to 63 bytes.
  public var name: String
  /// "_matinee._tcp"
  public var type: String
  /// 1 to 65535.
  public var port: Int
  /// The pairs of its TXT record. A key is ASCII without `=`; a pair is 255 bytes at most.
  public var attributes: [String: String]
  /// Numeric, of the machine that offers it; empty in an announcement, where the daemon fills them in.
  public var addresses: [String]

  public init(
    name: String, type: String, port: Int, attributes: [String: String] = [:],
    addresses: [String] = []
  ) {
    self.name = name
    self.type = type
    self.port = port
    self.attributes = attributes
    self.addresses = addresses
  }
}
