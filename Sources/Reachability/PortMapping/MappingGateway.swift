/// A router that may map ports, by one method.
protocol MappingGateway: Sendable {
  var method: PortMapping.Method { get }

  /// Returns the router's outer address, IPv4.
  func externalAddress() async throws(PortMappingError) -> String

  /// Maps a port to this machine, or extends such a mapping.
  ///
  /// - Parameters:
  ///   - externalPort: the wish; some routers give another.
  ///   - lease: nil for a mapping without end.
  func map(
    _ port: Int, externalPort: Int, lease: Duration?
  ) async throws(PortMappingError) -> MappingGrant

  func unmap(_ mapping: PortMapping) async throws(PortMappingError)
}

/// A mapping that a router granted.
struct MappingGrant: Hashable, Sendable {
  var externalPort: Int
  /// The time until the mapping ends; nil for a mapping without end.
  var lease: Duration?
}
