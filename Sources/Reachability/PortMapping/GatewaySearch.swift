/// A router that answered, and its outer address.
struct FoundGateway: Sendable {
  var gateway: any MappingGateway
  var externalAddress: Result<String, PortMappingError>
}

/// The search for a router by both methods at the same time.
enum GatewaySearch {
  /// Yields each router as soon as it has answered, and ends once both methods have finished: after some seconds at
  /// most.
  static func routers() -> AsyncStream<FoundGateway> {
    AsyncStream { continuation in
      let task = Task {
        await withTaskGroup(of: FoundGateway?.self) { group in
          group.addTask {
            // NAT-PMP has no search: the first answer shows that the router exists.
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
