/// Counts of a relay's work since it was made, and its current load.
public struct RelayStatistics: Sendable, Hashable {
  /// Current connections, admitted or not yet, attachments included.
  public var connections = 0
  /// Current connections that have not proved a key yet.
  public var unprovenConnections = 0
  /// All connections since the relay was made.
  public var totalConnections = 0
  /// Current subscriptions of all connections.
  public var subscriptions = 0
  /// Parties with at least one connection.
  public var parties = 0
  /// Bytes that are held for all connections: see ``RelayConfiguration/Limits/heldBytes``.
  public var heldBytes = 0
  /// Messages that were published, including those without a reader.
  public var messagesIn = 0
  /// Payload bytes.
  public var bytesIn = 0
  /// Copies of messages that were sent: one for each reader.
  public var messagesOut = 0
  /// Payload bytes of all copies.
  public var bytesOut = 0
  /// Readers cut off because too many bytes waited for them, or waited too long.
  public var slowConsumersCut = 0
  /// Connections refused for a wrong or missing signature, or because they never sent one.
  public var authorizationFailures = 0
  /// Connections ended for breaking the protocol.
  public var protocolErrors = 0
  /// Connections ended because they no longer answered.
  public var staleConnections = 0
  /// Connections refused because there were too many.
  public var connectionsRefused = 0

  /// The number of times that a connection was paused because it was over its rate.
  public var throttles = 0
  /// Connections cut off because all connections together held too many bytes, and these held the
  /// most.
  public var memoryCuts = 0

  /// Creates counts of zero.
  public init() {}
}
