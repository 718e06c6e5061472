import Concurrency
import NIOCore
import Timekeeping

/// Reports the state of a relay over HTTP: `/healthz`, and `/metrics` for Prometheus.
///
/// It only answers, with counts and limits: no subject, key, name or address of a client. Each
/// connection is answered once and closed; a limited number of simultaneous connections bounds its
/// cost. It authenticates no client and works on the relay's own thread, so it belongs on an
/// address that only the operator reaches. It ends with the relay.
public final class RelayMonitor: Sendable {
  private let relay: Relay
  private let number: Int
  /// The address on which it listens. If the requested port was 0, this has the port that the
  /// system chose.
  public let address: RelayAddress

  /// Listens and answers until ``shutdown()``.
  ///
  /// - Throws: ``RelayError``.
  public init(of relay: Relay, host: String, port: Int) async throws(RelayError) {
    let wanted = RelayAddress(host: host, port: port)
    let answer = OneShot<Result<(number: Int, address: RelayAddress), RelayError>>()
    guard
      relay.thread.execute({ host in host.listenForMonitor(on: wanted) { answer.fulfil($0) } })
    else {
      throw RelayError(.other, "Can't listen on \(wanted): the relay has stopped.")
    }
    let bound: RelayAddress
    (number, bound) = try await answer.certainValue().get()
    address = RelayAddress(host: host, port: bound.port)
    self.relay = relay
  }

  deinit { relay.thread.execute { [number] in $0.endListener(number) } }

  /// Stops answering. Idempotent.
  public func shutdown() async {
    _ = await relay.thread.submit { [number] in $0.endListener(number) }
  }
}

extension BrokerHost {
  /// The longest time that a connection of a monitor stays open, whatever it does.
  private static let monitorPatience = TimeAmount.seconds(5)

  /// Begins to answer for a monitor. Resolving a name may take a while, during which the relay
  /// serves no connection.
  fileprivate func listenForMonitor(
    on wanted: RelayAddress,
    done: @escaping (Result<(number: Int, address: RelayAddress), RelayError>) -> Void
  ) {
    let connections = MonitorConnections()
    listen(
      on: wanted,
      configure: { host, channel, _ in
        try channel.pipeline.syncOperations.addWebCodec()
        try channel.pipeline.syncOperations.addHandler(
          WebAnswerHandler { host.monitorAnswer(to: $0) })
        connections.add(channel)
        host.schedule(in: Self.monitorPatience) { channel.close(promise: nil) }
      }, done: done)
  }

  private func monitorAnswer(to path: String) -> WebAnswer {
    guard !isShuttingDown else {
      return WebAnswer(status: .serviceUnavailable, body: "the relay has stopped\n")
    }
    switch path {
    case "/healthz":
      return WebAnswer(
        status: .ok, type: "application/json", body: "{\"status\":\"ok\"}\n")
    case "/metrics":
      let report = RelayReport(
        statistics: broker.statistics, limits: broker.limits, process: .now(),
        uptime: HostTime.now() - madeAt)
      // The version is that of Prometheus's text format.
      return WebAnswer(
        status: .ok, type: "text/plain; version=0.0.4; charset=utf-8", body: report.metrics)
    default:
      return WebAnswer(status: .notFound, body: "not found; use /healthz or /metrics\n")
    }
  }
}

/// The open connections of a monitor.
///
/// A request is answered at once, so the oldest connection had the most time to send one: it makes room if there are
/// too many.
private final class MonitorConnections {
  private static let limit = 16

  private var channels: [any Channel] = []

  func add(_ channel: any Channel) {
    if channels.count >= Self.limit { channels.removeFirst().close(promise: nil) }
    channels.append(channel)
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
      channels.removeAll { $0 === channel }
    }
  }
}
