/// The state of a relay at one moment, for its monitor.
struct RelayReport: Hashable, Sendable {
  var statistics: RelayStatistics
  var limits: RelayConfiguration.Limits
  var process: ProcessUse
  /// The time since the relay was made.
  var uptime: Duration

  /// The report in the text format of Prometheus, version 0.0.4.
  var metrics: String {
    var text = ""
    func add(_ name: String, _ kind: String, _ help: String, _ value: Double) {
      let number = value == value.rounded() && value < 1e15 ? "\(Int(value))" : "\(value)"
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(name) \(number)\n"
    }
    func gauge(_ name: String, _ value: Int, _ help: String) {
      add("matinee_relay_\(name)", "gauge", help, Double(value))
    }
    func counter(_ name: String, _ value: Int, _ help: String) {
      add("matinee_relay_\(name)_total", "counter", help, Double(value))
    }
    let counts = statistics
    gauge("connections", counts.connections, "Connections, admitted or not.")
    gauge(
      "unproven_connections", counts.unprovenConnections,
      "Connections that haven't authenticated yet.")
    gauge("parties", counts.parties, "Parties with at least one connection.")
    gauge("subscriptions", counts.subscriptions, "Subscriptions.")
    gauge("held_bytes", counts.heldBytes, "Bytes queued for connections.")
    gauge("max_connections", limits.connections, "Maximum number of connections.")
    gauge("max_held_bytes", limits.heldBytes, "Maximum number of queued bytes.")
    add(
      "matinee_relay_uptime_seconds", "gauge", "Time since the relay started.", uptime.inSeconds)
    counter("connections", counts.totalConnections, "Connections since the relay started.")
    counter("messages_in", counts.messagesIn, "Messages received.")
    counter("messages_out", counts.messagesOut, "Messages sent (one per recipient).")
    counter("bytes_in", counts.bytesIn, "Payload bytes received.")
    counter("bytes_out", counts.bytesOut, "Payload bytes sent.")
    counter(
      "slow_consumers", counts.slowConsumersCut,
      "Connections closed because they read too slowly.")
    counter("throttles", counts.throttles, "Delays of connections that exceeded their rate.")
    counter(
      "memory_cuts", counts.memoryCuts, "Connections closed because the queues were full.")
    counter(
      "authorization_failures", counts.authorizationFailures,
      "Connections closed for failed authentication.")
    counter(
      "protocol_errors", counts.protocolErrors, "Connections closed for protocol errors.")
    counter(
      "stale_connections", counts.staleConnections,
      "Connections closed because they stopped answering.")
    counter(
      "refused_connections", counts.connectionsRefused,
      "Connections refused because of the limit.")
    add(
      "process_resident_memory_bytes", "gauge", "Resident memory of the process.",
      Double(process.residentBytes))
    add("process_cpu_seconds_total", "counter", "User and system CPU time.", process.cpuSeconds)
    return text
  }
}
