/// What a relay has done since it was made, and what it carries now.
public struct RelayStatistics: Sendable, Hashable {
  /// Admitted or not yet, attachments included.
  public var connections = 0
  /// Those of them that have not proved a key yet.
  public var unprovenConnections = 0
  /// All that there ever were.
  public var totalConnections = 0
  public var subscriptions = 0
  /// Parties with at least one connection.
  public var parties = 0
  /// Bytes that are held for all connections: see ``RelayConfiguration/Limits/heldBytes``.
  public var heldBytes = 0
  public var messagesIn = 0
  /// Payload bytes, headers included.
  public var bytesIn = 0
  public var messagesOut = 0
  public var bytesOut = 0
  /// Readers cut off because too much waited for them, or too long.
  public var slowConsumersCut = 0
  /// Connections turned away for a wrong or missing signature, or because they never sent one.
  public var authorizationFailures = 0
  /// Connections ended for breaking the protocol.
  public var protocolErrors = 0
  /// Connections ended because they no longer answered.
  public var staleConnections = 0
  /// Connections turned away because there were too many.
  public var connectionsRefused = 0

  /// How often a connection was not read from for a while, because it was over its rate.
  public var throttles = 0
  /// Connections cut off because all of them together held too much, and these most.
  public var memoryCuts = 0

  public init() {}
}
