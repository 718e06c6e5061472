/// A service that a machine on the local network offers, as DNS-SD (RFC 6763) describes it. Any machine on this network
/// may have sent false information about a service that was found.
package struct LocalService: Hashable, Sendable {
  /// The service's name in a list: any text up to 63 bytes.
  package var name: String
  /// The service's type: "_matinee._tcp".
  package var type: String
  /// The port, 1 to 65535.
  package var port: Int
  /// The pairs of its TXT record. A key is ASCII without `=`; a pair has 255 bytes at most.
  package var attributes: [String: String]
  /// The numeric addresses of the machine that offers it; empty in an announcement, since the daemon adds them.
  package var addresses: [String]

  /// Creates a service to announce. Avahi refuses a name, type or attribute beyond the limits.
  package init(
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
