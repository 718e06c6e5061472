/// A router that answered, and its outer address.
struct FoundGateway: Sendable {
  var gateway: any MappingGateway
  var externalAddress: Result<String, PortMappingError>
}

/// Both ways of finding a router, at once.
enum GatewaySearch {
  /// Yields each router as soon as it has answered, and ends once both ways are decided: after some
  /// seconds at most.
  static func routers() -> AsyncStream<FoundGateway> {
    AsyncStream { continuation in
      let task = Task {
        await withTaskGroup(of: FoundGateway?.self) { group in
          group.addTask {
            // It has no search: its first answer tells that it is there.
            let gateway = NATPMPGateway()
            let address = await outerAddress(of: gateway)
            if case .failure(let error) = address, error.kind == .noAnswer { return nil }
            return FoundGateway(gateway: gateway, externalAddress: address)
          }
          group.addTask {
            guard let gateway = await UPnPGateway.find() else { return nil }
            return FoundGateway(
              gateway: gateway, externalAddress: await outerAddress(of: gateway))
          }
          for await found in group { if let found { continuation.yield(found) } }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func outerAddress(
    of gateway: some MappingGateway
  ) async -> Result<String, PortMappingError> {
    do {
      return .success(try await gateway.externalAddress())
    } catch {
      return .failure(error)
    }
  }
}
