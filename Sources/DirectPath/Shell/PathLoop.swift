import Concurrency
import Glibc
import GroupActivities
import STUN
import Synchronization
import Timekeeping

/// Carries out the decisions of a ``PathMachine``: the sockets, one thread that waits for them, and the events.
///
/// The machine is behind a lock, so that a datagram leaves on the thread of the caller that sends it. Nothing blocks
/// while the lock is held.
final class PathLoop: Sendable {
  private struct State {
    var machine: PathMachine
    /// The time until which the thread sleeps; nil while it doesn't.
    var sleepsUntil: HostTime?
    var isClosed = false
  }

  private let state: Mutex<State>
  private let sockets: [PathSocket]
  private let bell: WakingPipe
  private let inbox = BoundedInbox<DirectPathEvent>(costLimit: eventLimit)
  private let ended = OneShot<Bool>()

  /// The bytes of received datagrams that may wait, each counted with some more for itself.
  private static let eventLimit = 1 << 20
  private static let eventOverhead = 128
  /// The datagrams that are read from one socket in a row.
  private static let readsAtOnce = 64
  /// The longest sleep: the thread needs none, but it bounds the effect of a clock that stops.
  private static let longestSleep = Duration.seconds(60)

  init(_ configuration: PathMachine.Configuration, sockets: [PathSocket], bell: WakingPipe) {
    state = Mutex(
      State(machine: PathMachine(configuration, random: .system, at: .now())))
    self.sockets = sockets
    self.bell = bell
  }

  /// The events, for one consumer.
  func makeStream() -> AsyncStream<DirectPathEvent> { inbox.makeStream() }

  func start() throws(DirectPathError) {
    do {
      try OwnedThread.make("direct paths") { [self] in run() }
    } catch {
      ended.fulfil(true)
      throw DirectPathError(code: error.code, operation: "Can't make a thread")
    }
  }

  /// Passes an event to the machine, unless the loop was closed, and performs the actions.
  func handle(_ body: (inout PathMachine, HostTime) -> [PathMachine.Action]) {
    state.withLock { state in
      guard !state.isClosed else { return }
      perform(body(&state.machine, .now()))
      wakeIfNeeded(&state)
    }
  }

  /// Sends a datagram on the calling thread.
  func send(_ datagram: [UInt8], to peer: Participant.ID) -> Bool {
    state.withLock { state in
      guard !state.isClosed,
        let packet = state.machine.send(datagram, to: peer, at: .now())
      else { return false }
      send(packet.bytes, to: packet.remote)
      wakeIfNeeded(&state)
      return true
    }
  }

  /// Ends the events at once, and the thread soon. Idempotent.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    inbox.finish()
    bell.ring()
  }

  /// Waits until the thread has ended.
  func hasEnded() async { _ = await ended.certainValue() }

  private func wakeIfNeeded(_ state: inout State) {
    guard let until = state.sleepsUntil, let next = state.machine.nextDeadline, next < until
    else { return }
    state.sleepsUntil = nil
    bell.ring()
  }

  private func perform(_ actions: [PathMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes, let remote): send(bytes, to: remote)
      case .report(.received(let peer, let content, let time)):
        inbox.put(
          .received(peer, content, at: time), cost: content.count + Self.eventOverhead)
      case .report(let event): inbox.putEssential(event)
      }
    }
  }

  private func send(_ bytes: [UInt8], to remote: SocketAddress) {
    sockets.first { $0.isIPv6 == remote.isIPv6 }?.send(bytes, to: remote)
  }

  // MARK: The thread

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: PathSocket.bufferSize, alignment: 16)
    defer {
      buffer.deallocate()
      ended.fulfil(true)
    }
    while let milliseconds = timeToSleep() {
      var waits = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      waits.append(pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0))
      _ = poll(&waits, nfds_t(waits.count), milliseconds)
      bell.silence()
      for (socket, wait) in zip(sockets, waits) where wait.revents != 0 {
        read(socket, into: buffer)
      }
    }
  }

  /// Handles what is due.
  ///
  /// - Returns: the milliseconds until the next deadline; nil at the end.
  private func timeToSleep() -> CInt? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      var now = HostTime.now()
      if let due = state.machine.nextDeadline, due <= now {
        perform(state.machine.timerFired(at: now))
        now = .now()
      }
      let longest = now + Self.longestSleep
      let until = min(state.machine.nextDeadline ?? longest, longest)
      state.sleepsUntil = until
      // Rounded up: there is nothing to do before that time.
      return until <= now ? 0 : CInt(clamping: (until - now).inNanoseconds / 1_000_000 + 1)
    }
  }

  private func read(_ socket: PathSocket, into buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.readsAtOnce {
      switch socket.receive(into: buffer) {
      case .datagram(let bytes, let remote):
        let now = HostTime.now()
        state.withLock { state in
          guard !state.isClosed else { return }
          state.sleepsUntil = nil
          perform(state.machine.received(bytes, from: remote, at: now))
        }
      case .useless: break
      case .nothing: return
      }
    }
  }
}
