/// Reports the state of a relay over HTTP: `/healthz`, and `/metrics` for Prometheus.
///
/// It only answers, with counts and limits: no subject, key, name or address of a client. Each
/// connection is answered once and closed; a limited number of simultaneous connections bounds its
/// cost. It authenticates no client and works on the relay's own thread, so it belongs on an
/// address that only the operator reaches. It ends with the relay.
public final class RelayMonitor: Sendable {
  private let relay: Relay
  private let id: Int
  /// The address on which it listens. If the requested port was 0, this has the port that the
  /// system chose.
  public let address: RelayAddress

  /// Listens and answers until ``shutdown()``.
  ///
  /// - Throws: ``RelayError``.
  public init(of relay: Relay, host: String, port: Int) async throws(RelayError) {
    let wanted = RelayAddress(host: host, port: port)
    guard let result = await relay.onLoop({ $0.listenForMonitor(on: wanted) }) else {
      throw RelayError(.other, "Can't listen on \(wanted): the relay has stopped.")
    }
    (id, address) = try result.get()
    self.relay = relay
  }

  deinit { relay.thread.execute { [id] in $0.endMonitor(id) } }

  /// Stops answering. Idempotent.
  public func shutdown() async {
    _ = await relay.thread.submit { [id] in $0.endMonitor(id) }
  }
}

extension RelayLoop {
  /// Begins to answer for a monitor. Resolving a name may take a while, during which the relay
  /// serves no connection.
  fileprivate func listenForMonitor(
    on wanted: RelayAddress
  ) -> Result<(id: Int, address: RelayAddress), RelayError> {
    do throws(RelayError) {
      let monitor = try MonitorSockets(host: wanted.host, port: wanted.port)
      return .success((add(monitor), monitor.address))
    } catch {
      return .failure(error)
    }
  }
}
