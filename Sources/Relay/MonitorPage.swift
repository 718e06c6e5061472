import FoundationEssentials

/// An answer of the monitor: counts and limits, with no data of any client or party.
struct MonitorPage: Hashable, Sendable {
  let status: Int
  let type: String
  let body: String

  private static let text = "text/plain; charset=utf-8"

  /// - Parameter report: makes the report if the request asks for one; nil if the relay has stopped.
  init(answering request: MonitorRequest, report: () -> RelayReport?) {
    switch request.method {
    case "GET", "HEAD": self.init(path: request.path, report: report())
    default: self = .methodNotAllowed
    }
  }

  /// - Parameters:
  ///   - path: without a query.
  ///   - report: nil if the relay has stopped.
  init(path: String, report: RelayReport?) {
    guard let report else {
      self.init(status: 503, type: Self.text, body: "the relay has stopped\n")
      return
    }
    switch path {
    case "/healthz": self.init(status: 200, type: "application/json", body: "{\"status\":\"ok\"}\n")
    case "/varz": self.init(status: 200, type: "application/json", body: report.varz + "\n")
    case "/metrics":
      self.init(
        status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: report.metrics)
    case "/":
      self.init(status: 200, type: Self.text, body: "/healthz\n/varz\n/metrics\n")
    default:
      self.init(
        status: 404, type: Self.text, body: "not found; available: /healthz, /varz, /metrics\n")
    }
  }

  static let methodNotAllowed = MonitorPage(
    status: 405, type: text, body: "method not allowed; use GET or HEAD\n")

  static let badRequest = MonitorPage(status: 400, type: text, body: "bad request\n")

  /// Returns the answer in HTTP/1.1, after which the connection ends.
  func response(withBody: Bool) -> [UInt8] {
    let bytes = Array(body.utf8)
    let allow = status == 405 ? "Allow: GET, HEAD\r\n" : ""
    let head =
      "HTTP/1.1 \(status) \(reason)\r\nContent-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n"
      + "\(allow)Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + (withBody ? bytes : [])
  }

  private var reason: String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 503: "Service Unavailable"
    default: preconditionFailure("no page has the status \(status)")
    }
  }

  private init(status: Int, type: String, body: String) {
    self.status = status
    self.type = type
    self.body = body
  }
}

/// The state of a relay at one moment, for its monitor.
struct RelayReport: Hashable, Sendable {
  var statistics: RelayStatistics
  var limits: RelayConfiguration.Limits
  var server: ServerDescription
  var process: ProcessUse
  /// The time since the relay was made.
  var uptime: Duration

  /// The report as JSON, as `nats-server` has it at `/varz`: the same names for values with the
  /// same meaning, followed by the relay's own values.
  var varz: String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let json = try? encoder.encode(Variables(self)) else {
      preconditionFailure("numbers and text are always JSON")
    }
    return String(decoding: json, as: UTF8.self)
  }

  /// The values of `nats-server`, followed by the relay's own, in one object.
  private struct Variables: Encodable {
    let ofServer: ServerVariables
    let own: OwnVariables

    init(_ report: RelayReport) {
      ofServer = ServerVariables(report)
      own = OwnVariables(report.statistics, report.limits)
    }

    func encode(to encoder: any Encoder) throws {
      try ofServer.encode(to: encoder)
      try own.encode(to: encoder)
    }
  }

  private struct ServerVariables: Encodable {
    let serverId: String
    let serverName = "matinee"
    let version = ServerDescription.version
    let host: String
    let port: Int
    let authRequired = true
    let maxConnections: Int
    let maxSubscriptions: Int
    let maxPayload: Int
    let maxControlLine: Int
    let maxPending: Int
    /// Nanoseconds, as in `nats-server`.
    let pingInterval: Int64
    let pingMax: Int
    /// Seconds, as in `nats-server`.
    let authTimeout: Double
    let writeDeadline: Int64
    /// Seconds; `nats-server` has a text here.
    let uptimeSeconds: Double
    /// Bytes.
    let mem: Int
    let connections: Int
    let totalConnections: Int
    let subscriptions: Int
    let slowConsumers: Int
    let inMsgs: Int
    let outMsgs: Int
    let inBytes: Int
    let outBytes: Int

    init(_ report: RelayReport) {
      let (statistics, limits) = (report.statistics, report.limits)
      serverId = report.server.identifier
      host = report.server.host
      port = report.server.port
      maxConnections = limits.connections
      maxSubscriptions = limits.subscriptionsPerConnection
      maxPayload = limits.payload
      maxControlLine = limits.controlLine
      maxPending = limits.pendingBytes
      pingInterval = limits.pingInterval.inNanoseconds
      pingMax = limits.pingsOutstanding
      authTimeout = limits.authorizationTimeout.inSeconds
      writeDeadline = limits.writeStall.inNanoseconds
      uptimeSeconds = report.uptime.inSeconds
      mem = report.process.residentBytes
      connections = statistics.connections
      totalConnections = statistics.totalConnections
      subscriptions = statistics.subscriptions
      slowConsumers = statistics.slowConsumersCut
      inMsgs = statistics.messagesIn
      outMsgs = statistics.messagesOut
      inBytes = statistics.bytesIn
      outBytes = statistics.bytesOut
    }
  }

  /// The values for which `nats-server` has no name.
  private struct OwnVariables: Encodable {
    let parties: Int
    let unprovenConnections: Int
    let heldBytes: Int
    let maxHeldBytes: Int
    let throttles: Int
    let memoryCuts: Int
    let authorizationFailures: Int
    let protocolErrors: Int
    let staleConnections: Int
    let refusedConnections: Int

    init(_ statistics: RelayStatistics, _ limits: RelayConfiguration.Limits) {
      parties = statistics.parties
      unprovenConnections = statistics.unprovenConnections
      heldBytes = statistics.heldBytes
      maxHeldBytes = limits.heldBytes
      throttles = statistics.throttles
      memoryCuts = statistics.memoryCuts
      authorizationFailures = statistics.authorizationFailures
      protocolErrors = statistics.protocolErrors
      staleConnections = statistics.staleConnections
      refusedConnections = statistics.connectionsRefused
    }
  }

  /// The report in the text format of Prometheus, version 0.0.4.
  var metrics: String {
    let gauges: [(String, String, Double)] = [
      (
        "matinee_relay_connections", "Connections, admitted or not.", Double(statistics.connections)
      ),
      (
        "matinee_relay_unproven_connections", "Connections that haven't authenticated yet.",
        Double(statistics.unprovenConnections)
      ),
      (
        "matinee_relay_parties", "Parties with at least one connection.", Double(statistics.parties)
      ),
      ("matinee_relay_subscriptions", "Subscriptions.", Double(statistics.subscriptions)),
      ("matinee_relay_held_bytes", "Bytes queued for connections.", Double(statistics.heldBytes)),
      (
        "matinee_relay_max_connections", "Maximum number of connections.",
        Double(limits.connections)
      ),
      ("matinee_relay_max_held_bytes", "Maximum number of queued bytes.", Double(limits.heldBytes)),
      ("matinee_relay_uptime_seconds", "Time since the relay started.", uptime.inSeconds),
      (
        "process_resident_memory_bytes", "Resident memory of the process.",
        Double(process.residentBytes)
      ),
    ]
    let counters: [(String, String, Double)] = [
      (
        "matinee_relay_connections_total", "Connections since the relay started.",
        Double(statistics.totalConnections)
      ),
      ("matinee_relay_messages_in_total", "Messages received.", Double(statistics.messagesIn)),
      (
        "matinee_relay_messages_out_total", "Messages sent (one per recipient).",
        Double(statistics.messagesOut)
      ),
      ("matinee_relay_bytes_in_total", "Payload bytes received.", Double(statistics.bytesIn)),
      (
        "matinee_relay_bytes_out_total", "Payload bytes sent.", Double(statistics.bytesOut)
      ),
      (
        "matinee_relay_slow_consumers_total", "Connections closed because they read too slowly.",
        Double(statistics.slowConsumersCut)
      ),
      (
        "matinee_relay_throttles_total", "Delays of connections that exceeded their rate.",
        Double(statistics.throttles)
      ),
      (
        "matinee_relay_memory_cuts_total", "Connections closed because the queues were full.",
        Double(statistics.memoryCuts)
      ),
      (
        "matinee_relay_authorization_failures_total",
        "Connections closed for failed authentication.",
        Double(statistics.authorizationFailures)
      ),
      (
        "matinee_relay_protocol_errors_total", "Connections closed for protocol errors.",
        Double(statistics.protocolErrors)
      ),
      (
        "matinee_relay_stale_connections_total",
        "Connections closed because they stopped answering.",
        Double(statistics.staleConnections)
      ),
      (
        "matinee_relay_refused_connections_total", "Connections refused because of the limit.",
        Double(statistics.connectionsRefused)
      ),
      ("process_cpu_seconds_total", "User and system CPU time.", process.cpuSeconds),
    ]
    var text = ""
    for (kind, values) in [("gauge", gauges), ("counter", counters)] {
      for (name, help, value) in values {
        let number = value == value.rounded() && value < 1e15 ? "\(Int(value))" : "\(value)"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(name) \(number)\n"
      }
    }
    return text
  }
}
