import Concurrency
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The thread that owns a ``BrokerHost``, an event loop of its own, and the way to it from other threads.
final class RelayThread: Sendable {
  typealias Job = @Sendable (BrokerHost) -> Void

  private let group: MultiThreadedEventLoopGroup
  private let loop: any EventLoop
  private let host: NIOLoopBoundBox<BrokerHost>
  private let isStopped = Mutex(false)
  /// The number of offered jobs that wait.
  private let offered = Atomic(0)

  init(broker: Broker, page: String?, logger: Logger) {
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    loop = group.next()
    host = .makeBoxSendingValue(
      BrokerHost(broker: broker, page: page, loop: loop, logger: logger), eventLoop: loop)
    execute { $0.start() }
  }

  /// The limit of offered jobs that wait: a burst larger than any that the session layer sends, and at 64 KiB each still
  /// only 64 MiB.
  static let offerLimit = 1024

  enum Offer: Hashable, Sendable { case taken, full, stopped }

  /// Runs `job` like ``execute(_:)``, unless too many offered jobs wait.
  func offer(_ job: @escaping Job) -> Offer {
    guard offered.wrappingAdd(1, ordering: .relaxed).oldValue < Self.offerLimit else {
      offered.wrappingSubtract(1, ordering: .relaxed)
      return .full
    }
    let isTaken = execute { [self] host in
      offered.wrappingSubtract(1, ordering: .relaxed)
      job(host)
    }
    if !isTaken { offered.wrappingSubtract(1, ordering: .relaxed) }
    return isTaken ? .taken : .stopped
  }

  /// Runs `job` on the thread, after the jobs before it. Any thread may call this. The callers wait for their jobs, so
  /// their number is the bound.
  ///
  /// - Returns: false if the thread was stopped.
  @discardableResult
  func execute(_ job: @escaping Job) -> Bool {
    // The lock keeps the order: no job comes after the end.
    isStopped.withLock { isStopped in
      guard !isStopped else { return false }
      loop.execute { [host] in job(host.value) }
      return true
    }
  }

  /// Runs `body` on the thread and returns its result; nil if the thread was stopped.
  func submit<Value: Sendable>(_ body: @escaping @Sendable (BrokerHost) -> Value) async -> Value? {
    let answer = OneShot<Value>()
    guard execute({ host in answer.fulfil(body(host)) }) else { return nil }
    return await answer.certainValue()
  }

  /// Ends the thread after the jobs that it was given before. Idempotent.
  func stop() {
    isStopped.withLock { isStopped in
      guard !isStopped else { return }
      isStopped = true
      loop.execute { [host, group] in
        host.value.close()
        group.shutdownGracefully { _ in }
      }
    }
  }
}
