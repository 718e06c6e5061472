import CEpoll
import Glibc
import Logging
import NATSProtocol
import Timekeeping

/// Carries out the decisions of the ``Broker``: the only part of the relay that handles sockets, with epoll(7).
///
/// It belongs to one thread (``LoopThread``), which calls every method.
final class RelayLoop {
  var broker: Broker
  private let logger: Logger
  private let epoll: CInt
  private var bell: CInt = -1
  private var listeners: [ListeningSocket] = []
  /// The sockets by descriptor.
  private var sockets: ContiguousArray<Socket?> = []
  /// The descriptors by the connection's index; -1 for none.
  private var descriptors: ContiguousArray<CInt> = []
  var monitors: [(number: Int, sockets: MonitorSockets)] = []
  var nextMonitor = 1
  let madeAt = HostTime.now()
  var attachments: [ConnectionID: LoopbackTransport.Inbox] = [:]
  /// Connections that are not read from until the given time.
  private var paused: [(id: ConnectionID, until: HostTime)] = []
  /// Sockets to which the last bytes were written, and which stay open until the given time for the client to read.
  private var leaving: [(descriptor: CInt, id: ConnectionID, until: HostTime)] = []
  private var nextTick = HostTime.now()
  /// The time until which no connection is accepted, since there are too few descriptors.
  private var acceptsAgainAt: HostTime?
  /// The last time that descriptors were lacking: a lasting lack is reported once.
  private var lackedAt: HostTime?
  private var shutdown: Shutdown?

  private var events = [epoll_event](repeating: epoll_event(), count: 256)
  private let readBuffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 32 << 10, alignment: 16)

  /// The interval between checks for connections that are silent, slow or unproven.
  private static let tickInterval = Duration.milliseconds(250)
  /// The limit of connections accepted in a row, so that new connections don't keep the others waiting.
  private static let acceptsAtOnce = 32
  private static let leavingTime = Duration.seconds(1)
  /// The time without a lack of descriptors after which the next lack is reported again.
  private static let lackInterval = Duration.seconds(60)

  private struct Socket {
    let id: ConnectionID
    /// Bytes that the kernel has not taken yet.
    var unsent = ByteQueue()
    /// A Boolean value that indicates whether the socket closes when those bytes are sent.
    var isLeaving = false
    var interest: UInt32
  }

  private struct Shutdown {
    /// `draining` → `delivering` when all clients have read everything; both → `closing` at the deadline.
    enum Stage {
      case draining
      case delivering
      case closing(isDrained: Bool)
    }

    var stage = Stage.draining
    /// The deadline of the stage.
    var deadline: HostTime
    let done: @Sendable (Bool) -> Void
  }

  init(broker: Broker, logger: Logger) {
    self.broker = broker
    self.logger = logger
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    precondition(epoll >= 0, "epoll_create1: errno \(errno)")
  }

  deinit { readBuffer.deallocate() }

  /// Wakes the loop when the descriptor can be read.
  func watch(_ bell: CInt) {
    self.bell = bell
    control(EPOLL_CTL_ADD, bell, EPOLLIN.rawValue)
  }

  // MARK: Listening

  /// Accepts connections from a listening socket.
  func listen(on listener: ListeningSocket) {
    listeners.append(listener)
    control(EPOLL_CTL_ADD, listener.descriptor, EPOLLIN.rawValue)
  }

  private func accept(from listener: ListeningSocket, now: HostTime) {
    for _ in 0..<Self.acceptsAtOnce {
      switch listener.accept() {
      case .success(let (descriptor, address)):
        guard let descriptor = moveFromReserve(descriptor) else { return refuse(now: now) }
        add(descriptor, address: address, now: now)
      case .failure(let error) where error.code == EINTR || error.code == ECONNABORTED: continue
      case .failure(let error) where error.code == EAGAIN: return
      case .failure: return refuse(now: now)
      }
    }
  }

  /// Moves a descriptor above the reserved low numbers, and returns its new number. The low numbers stay free for the
  /// rest of the process: some libraries can wait for no others, and no number of connections takes the last one.
  private func moveFromReserve(_ descriptor: CInt) -> CInt? {
    let reserved = CInt(clamping: broker.limits.reservedDescriptors)
    guard descriptor < reserved else { return descriptor }
    defer { Glibc.close(descriptor) }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, reserved)
    return moved >= 0 ? moved : nil
  }

  /// Stops accepting for a while when descriptors or memory are lacking: connections wait in the kernel, and would
  /// wake the thread again at once.
  private func refuse(now: HostTime) {
    if lackedAt.map({ now - $0 > Self.lackInterval }) ?? true {
      logger.warning(
        "The relay has too few file descriptors for all connections: new ones wait. Raise the limit of open files (ulimit -n)."
      )
    }
    lackedAt = now
    for listener in listeners { control(EPOLL_CTL_MOD, listener.descriptor, 0) }
    acceptsAgainAt = now + Self.tickInterval
  }

  private func add(_ descriptor: CInt, address: String, now: HostTime) {
    // The system limits the number of watched descriptors (`/proc/sys/fs/epoll/max_user_watches`).
    guard watches(descriptor) else {
      Glibc.close(descriptor)
      return refuse(now: now)
    }
    let id = broker.accepted(from: address, nonce: Nonce.make(), now: now)
    while sockets.count <= Int(descriptor) { sockets.append(nil) }
    while descriptors.count <= Int(id.index) { descriptors.append(-1) }
    sockets[Int(descriptor)] = Socket(id: id, interest: EPOLLIN.rawValue)
    descriptors[Int(id.index)] = descriptor
    perform(now: now)
  }

  // MARK: Waiting

  /// Waits for events and handles them.
  func runOnce() {
    let count = epoll_wait(epoll, &events, CInt(events.count), waitMilliseconds())
    var now = HostTime.now()
    for index in 0..<max(0, Int(count)) {
      let descriptor = CInt(truncatingIfNeeded: events[index].data.u64)
      let happened = events[index].events
      if descriptor == bell {
        var rings: UInt64 = 0
        _ = Glibc.read(bell, &rings, 8)
      } else if let listener = listeners.first(where: { $0.descriptor == descriptor }) {
        accept(from: listener, now: now)
      } else if let monitor = monitors.first(where: { $0.sockets.descriptor == descriptor }) {
        monitor.sockets.run(now: now) { report(at: now) }
      } else {
        if happened & EPOLLOUT.rawValue != 0 { sendUnsent(descriptor, now: now) }
        if happened & ~EPOLLOUT.rawValue != 0 { receive(descriptor, now: now) }
        // Reading and writing thousands of sockets takes a while.
        if index % 16 == 15 { now = .now() }
      }
    }
    if broker.hasTurns {
      now = .now()
      broker.takeTurn(now: now)
      perform(now: now)
    }
    passTime(now)
  }

  private func waitMilliseconds() -> CInt {
    if broker.hasTurns { return 0 }
    var next = nextTick
    for pause in paused { next = min(next, pause.until) }
    if let shutdown { next = min(next, shutdown.deadline) }
    let wait = next - .now()
    // Rounded up: there is nothing to do before that time.
    return wait <= .zero ? 0 : CInt(clamping: wait.inNanoseconds / 1_000_000 + 1)
  }

  private func passTime(_ now: HostTime) {
    if !paused.isEmpty {
      let due = paused.filter { $0.until <= now }
      paused.removeAll { $0.until <= now }
      for pause in due { broker.resume(pause.id, now: now) }
      perform(now: now)
    }
    if now >= nextTick {
      nextTick = now + Self.tickInterval
      tick(now)
    }
    if shutdown != nil { checkShutdown(now) }
  }

  private func tick(_ now: HostTime) {
    let before = broker.statistics
    broker.tick(now: now)
    perform(now: now)
    let after = broker.statistics
    if after.staleConnections > before.staleConnections {
      logger.info("relay dropped a connection that no longer answers")
    }
    for (descriptor, id, until) in leaving where until <= now {
      if sockets[Int(descriptor)]?.id == id { close(descriptor) }
    }
    leaving.removeAll { $0.until <= now }
    for monitor in monitors { monitor.sockets.timePassed(now: now) }
    if let again = acceptsAgainAt, again <= now {
      acceptsAgainAt = nil
      for listener in listeners { control(EPOLL_CTL_MOD, listener.descriptor, EPOLLIN.rawValue) }
    }
  }

  // MARK: Sockets

  private func receive(_ descriptor: CInt, now: HostTime) {
    guard let (id, isLeaving) = sockets[Int(descriptor)].map({ ($0.id, $0.isLeaving) }) else {
      return
    }
    let count = recv(descriptor, readBuffer.baseAddress, readBuffer.count, 0)
    if count > 0 {
      // A leaving connection is read from only so that the kernel doesn't reset it: a reset could discard the last
      // bytes that the relay sent.
      if isLeaving { return }
      let bytes = UnsafeRawBufferPointer(rebasing: readBuffer[..<count])
      broker.received(Array(bytes), from: id, now: now)
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      close(descriptor)
      broker.closed(id)
    }
    perform(now: now)
  }

  private func sendUnsent(_ descriptor: CInt, now: HostTime) {
    guard var unsent = sockets[Int(descriptor)]?.unsent else { return }
    sockets[Int(descriptor)]!.unsent = ByteQueue()
    send(&unsent, on: descriptor, now: now)
    perform(now: now)
  }

  /// Sends as much as the kernel takes; the rest waits until it takes more.
  private func send(_ bytes: inout ByteQueue, on descriptor: CInt, now: HostTime) {
    let id = sockets[Int(descriptor)]!.id
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        close(descriptor)
        broker.closed(id)
        return
      }
      bytes.removeFirst(count)
      if !sockets[Int(descriptor)]!.isLeaving { broker.wrote(count, to: id, now: now) }
    }
    guard bytes.isEmpty else {
      sockets[Int(descriptor)]!.unsent = bytes
      setInterest(descriptor, EPOLLOUT.rawValue, isOn: true)
      return
    }
    setInterest(descriptor, EPOLLOUT.rawValue, isOn: false)
    if sockets[Int(descriptor)]!.isLeaving { Glibc.shutdown(descriptor, CInt(SHUT_WR)) }
  }

  private func close(_ descriptor: CInt) {
    guard let socket = sockets[Int(descriptor)] else { return }
    sockets[Int(descriptor)] = nil
    if descriptors[Int(socket.id.index)] == descriptor { descriptors[Int(socket.id.index)] = -1 }
    Glibc.close(descriptor)
  }

  private func setInterest(_ descriptor: CInt, _ event: UInt32, isOn: Bool) {
    let interest = sockets[Int(descriptor)]!.interest
    let wanted = isOn ? interest | event : interest & ~event
    guard wanted != interest else { return }
    sockets[Int(descriptor)]!.interest = wanted
    control(EPOLL_CTL_MOD, descriptor, wanted)
  }

  func control(_ operation: CInt, _ descriptor: CInt, _ interest: UInt32) {
    let status = change(operation, descriptor, interest)
    precondition(status == 0, "epoll_ctl \(operation) of \(descriptor): errno \(errno)")
  }

  private func watches(_ descriptor: CInt) -> Bool {
    change(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue) == 0
  }

  private func change(_ operation: CInt, _ descriptor: CInt, _ interest: UInt32) -> CInt {
    var event = epoll_event()
    event.events = interest
    event.data.u64 = UInt64(descriptor)
    return epoll_ctl(epoll, operation, descriptor, &event)
  }

  private func descriptor(of id: ConnectionID) -> CInt? {
    guard Int(id.index) < descriptors.count else { return nil }
    let descriptor = descriptors[Int(id.index)]
    guard descriptor >= 0, sockets[Int(descriptor)]?.id == id else { return nil }
    return descriptor
  }

  // MARK: Effects

  /// Writes, delivers and closes, with one system call for each destination.
  func perform(now: HostTime) {
    // An effect may free room in a connection's output, which leads to further effects.
    while true {
      let effects = broker.takeEffects(now: now)
      if effects.isEmpty { return }
      for effect in effects { perform(effect, now: now) }
    }
  }

  private func perform(_ effect: Broker.Effect, now: HostTime) {
    switch effect {
    case .write(let bytes, let id, let isLast):
      guard let descriptor = descriptor(of: id) else { return }
      write(bytes, to: descriptor, isLast: isLast, now: now)
    case .cut(let id):
      logger.notice("relay cut a slow consumer", metadata: ["connection": "\(id.number)"])
      if let descriptor = descriptor(of: id) { close(descriptor) }
    case .pause(let id, let duration):
      guard let descriptor = descriptor(of: id) else { return }
      setInterest(descriptor, EPOLLIN.rawValue, isOn: false)
      paused.append((id, now + duration))
    case .hold(let id):
      if let descriptor = descriptor(of: id) {
        setInterest(descriptor, EPOLLIN.rawValue, isOn: false)
      }
    case .resume(let id):
      if let descriptor = descriptor(of: id) {
        setInterest(descriptor, EPOLLIN.rawValue, isOn: true)
      }
    case .deliver(let subject, let payload, let id):
      attachments[id]?.received(subject: subject, payload: payload)
    case .warn(let text, let id): attachments[id]?.warned(text)
    }
  }

  private func write(_ bytes: [UInt8], to descriptor: CInt, isLast: Bool, now: HostTime) {
    if isLast {
      let id = sockets[Int(descriptor)]!.id
      guard leaving.count < broker.limits.closingConnections || shutdown != nil else {
        // So many connections leave that there is no time to wait for the arrival of every last message.
        bytes.withUnsafeBytes {
          _ = Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        return close(descriptor)
      }
      leaving.append((descriptor, id, now + Self.leavingTime))
      sockets[Int(descriptor)]!.isLeaving = true
      setInterest(descriptor, EPOLLIN.rawValue, isOn: true)
    }
    if !sockets[Int(descriptor)]!.unsent.isEmpty {
      sockets[Int(descriptor)]!.unsent.append(bytes)
    } else {
      var bytes = ByteQueue(bytes)
      send(&bytes, on: descriptor, now: now)
    }
  }

  // MARK: The end

  /// Accepts no connections any more.
  func stopListening() { listeners = [] }

  /// Stops listening, announces to clients that this server is about to stop, and closes when they have read what is
  /// queued for them, or when the time for that is over.
  ///
  /// - Parameter done: called with a Boolean value that indicates whether all was read in time.
  func shutDown(drain: Duration, done: @escaping @Sendable (Bool) -> Void) {
    stopListening()
    let now = HostTime.now()
    shutdown = Shutdown(deadline: now + drain, done: done)
    broker.announceShutdown()
    perform(now: now)
    checkShutdown(now)
  }

  /// Advances the shutdown if its stage is complete or due.
  ///
  /// First every client has to read everything and needs time to use it: when a connection ends, a client may discard
  /// what it has read and not delivered. Then the connections end, while arriving bytes are ignored: closing at once
  /// would reset the connections of all clients that were about to send.
  private func checkShutdown(_ now: HostTime) {
    guard let shutdown else { return }
    let isDue = now >= shutdown.deadline
    switch shutdown.stage {
    case .draining where broker.isDrained:
      self.shutdown!.stage = .delivering
      self.shutdown!.deadline = now + Self.deliveryTime
    case .draining:
      if isDue { endConnections(isDrained: false, at: now) }
    case .delivering:
      if isDue { endConnections(isDrained: true, at: now) }
    case .closing(let isDrained):
      guard sockets.allSatisfy({ $0 == nil }) || isDue else { return }
      self.shutdown!.deadline = HostTime(nanoseconds: .max)
      guard !isOver else { return }
      isOver = true
      shutdown.done(isDrained)
    }
  }

  private func endConnections(isDrained: Bool, at now: HostTime) {
    shutdown!.stage = .closing(isDrained: isDrained)
    shutdown!.deadline = now + (isDrained ? .milliseconds(200) : .zero)
    for inbox in attachments.values { inbox.relayStopped() }
    attachments = [:]
    for index in sockets.indices where sockets[index] != nil {
      sockets[index]!.isLeaving = true
      if isDrained { Glibc.shutdown(CInt(index), CInt(SHUT_WR)) }
    }
    checkShutdown(now)
  }

  var isShuttingDown: Bool { shutdown != nil }
  private var isOver = false
  private static let deliveryTime = Duration.milliseconds(100)

  /// Closes everything. No method may be called afterwards.
  func close() {
    for inbox in attachments.values { inbox.relayStopped() }
    attachments = [:]
    stopListening()
    monitors = []
    for index in sockets.indices where sockets[index] != nil { close(CInt(index)) }
    Glibc.close(epoll)
  }
}
