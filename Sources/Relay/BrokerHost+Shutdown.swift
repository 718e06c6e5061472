import NIOCore
import Timekeeping

/// The end of a relay, in stages.
extension BrokerHost {
  struct Shutdown {
    /// `draining` → `delivering` when all clients have read everything; both → `closing` at the deadline → `over` when
    /// all clients have closed, or at the deadline.
    enum Stage {
      case draining, delivering, over
      case closing(isDrained: Bool)
    }

    var stage = Stage.draining
    /// The deadline of the stage.
    var deadline: HostTime
    let done: @Sendable (Bool) -> Void
  }

  var isShuttingDown: Bool { shutdown != nil }

  /// The time that a client has to deliver what it has read before its connection ends.
  private static let deliveryTime = Duration.milliseconds(100)
  private static let closingTime = Duration.milliseconds(200)

  /// Stops listening, announces to clients that this server is about to stop, and closes when they have read what is
  /// queued for them, or when the time for that is over.
  ///
  /// - Parameter done: called with a Boolean value that indicates whether all was read in time.
  func shutDown(drain: Duration, done: @escaping @Sendable (Bool) -> Void) {
    stopListening()
    shutdown = Shutdown(deadline: .now(), done: done)
    broker.announceShutdown()
    enter(.draining, for: drain)
    perform()
  }

  /// Advances the shutdown if its stage is complete or due.
  ///
  /// First every client has to read everything and needs time to use it: a client may discard what it hasn't delivered
  /// when its connection ends. Then the connections end, while arriving bytes are ignored: closing at once would reset
  /// the connections of all clients that were about to send.
  func checkShutdown() {
    guard let shutdown else { return }
    let isDue = HostTime.now() >= shutdown.deadline
    switch shutdown.stage {
    case .draining where broker.isDrained: enter(.delivering, for: Self.deliveryTime)
    case .draining: if isDue { endConnections(isDrained: false) }
    case .delivering: if isDue { endConnections(isDrained: true) }
    case .closing(let isDrained):
      guard isDue || !hasClients else { return }
      self.shutdown!.stage = .over
      shutdown.done(isDrained)
    case .over: break
    }
  }

  private func enter(_ stage: Shutdown.Stage, for duration: Duration) {
    shutdown!.stage = stage
    shutdown!.deadline = .now() + duration
    schedule(in: TimeAmount(duration)) { [self] in checkShutdown() }
  }

  private func endConnections(isDrained: Bool) {
    endAttachments()
    if isDrained { endOutputs() }
    enter(.closing(isDrained: isDrained), for: isDrained ? Self.closingTime : .zero)
    checkShutdown()
  }
}
