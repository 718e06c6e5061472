/// A router that may map ports, by one method.
protocol MappingGateway: Sendable {
  var method: PortMapping.Method { get }

  /// The router's outer address, IPv4.
  func externalAddress() async throws(PortMappingError) -> String

  /// Maps a port to this machine, or makes such a mapping last longer.
  ///
  /// - Parameters:
  ///   - externalPort: the wish; some routers give another.
  ///   - lease: nil for ever.
  func map(
    _ port: Int, externalPort: Int, lease: Duration?
  ) async throws(PortMappingError) -> MappingGrant

  func unmap(_ mapping: PortMapping) async throws(PortMappingError)
}

/// What a router gave.
struct MappingGrant: Hashable, Sendable {
  var externalPort: Int
  /// nil for ever.
  var lease: Duration?
}
