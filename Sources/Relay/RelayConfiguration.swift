/// How a relay behaves.
public struct RelayConfiguration: Hashable, Sendable {
  /// Whose connections are admitted.
  public enum Admission: Hashable, Sendable {
    /// Those that sign with one of these keys (32 bytes each): a host's own party.
    case only([[UInt8]])
    /// Those that sign with any key. Each key has its own subjects and reaches no others.
    case anyKey
  }

  public var admission: Admission
  /// A name or an address; `0.0.0.0` or `::` for all of the machine's.
  public var host: String
  /// 0 for any free one.
  public var port: Int
  /// In bytes, as nats-server's `max_payload`.
  public var payloadLimit = 64 * 1024
  public var connectionLimit = 1024
  public var subscriptionLimit = 64
  /// What may wait for a reader before it is cut off, in bytes.
  public var pendingLimit = 1 << 20
  public var authenticationTimeout = Duration.seconds(2)
  /// Two unanswered pings end a connection.
  public var pingInterval = Duration.seconds(10)

  public init(admission: Admission, host: String = "0.0.0.0", port: Int = 62846) {
    self.admission = admission
    self.host = host
    self.port = port
  }
}

/// What a relay has done since it started.
public struct RelayStatistics: Hashable, Sendable {
  public var connections = 0
  public var subscriptions = 0
  public var messagesIn = 0
  public var messagesOut = 0
  public var bytesIn = 0
  public var bytesOut = 0
  /// Connections that were cut off because they didn't read.
  public var slowConsumers = 0
  public var refusedConnections = 0

  public init() {}
}

/// A relay that can't start.
public enum RelayError: Error, Hashable, Sendable, CustomStringConvertible {
  case addressInUse(host: String, port: Int)
  case cannotListen(host: String, port: Int, reason: String)

  public var description: String {
    switch self {
    case .addressInUse(let host, let port):
      "port \(port) of \(host) is in use; choose another with --listen HOST:PORT"
    case .cannotListen(let host, let port, let reason):
      "can't listen on \(host), port \(port): \(reason)"
    }
  }
}
