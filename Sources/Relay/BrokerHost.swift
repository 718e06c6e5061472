import Logging
import NATSProtocol
import NIOCore
import Timekeeping

/// Carries out the decisions of the ``Broker``: writes, delivers, closes and lets time pass.
///
/// It belongs to one event loop (``RelayThread``), on which every method is called.
final class BrokerHost {
  var broker: Broker
  let loop: any EventLoop
  let logger: Logger
  let madeAt = HostTime.now()
  /// The sockets that listen, for clients and for monitors, by a number of their own.
  private var listeners: [Int: any Channel] = [:]
  private var nextListener = 1
  /// The clients that the broker knows, by the connection's index.
  private var clients: ContiguousArray<ClientHandler?> = []
  /// The clients to which the last bytes were written.
  private var leaving: [ObjectIdentifier: ClientHandler] = [:]
  /// The certificate with which TLS begins; nil without TLS.
  var certificate: RelayCertificate?
  /// The page for browsers, in HTML; nil for none.
  let page: String?
  var attachments: [ConnectionID: LoopbackTransport.Inbox] = [:]
  var shutdown: Shutdown?
  private(set) var isClosed = false
  private var hasScheduledEffects = false
  private var hasScheduledTurn = false

  /// The interval between checks for connections that are silent, slow or unproven.
  private static let tickInterval = TimeAmount.milliseconds(250)
  /// The pause between two turns, in which the loop handles its sockets.
  private static let turnPause = TimeAmount.microseconds(50)

  init(broker: Broker, page: String?, loop: any EventLoop, logger: Logger) {
    self.broker = broker
    self.page = page
    self.loop = loop
    self.logger = logger
  }

  /// Runs `action` after a while, unless everything is closed then.
  func schedule(in time: TimeAmount, _ action: @escaping () -> Void) {
    loop.assumeIsolated().scheduleTask(in: time) { [self] in
      if !isClosed { action() }
    }
  }

  // MARK: Clients

  /// A client's socket is connected.
  func accepted(_ client: ClientHandler, from address: String) -> ConnectionID {
    let id = broker.accepted(from: address, nonce: Nonce.make(), now: .now())
    while clients.count <= Int(id.index) { clients.append(nil) }
    clients[Int(id.index)] = client
    performSoon()
    return id
  }

  func greet(_ id: ConnectionID, from address: String, requiresTLS: Bool) {
    broker.greet(id, at: address, requiresTLS: requiresTLS)
    performSoon()
  }

  func refusePlainBytes(of id: ConnectionID) {
    broker.end(id, saying: "Secure Connection - TLS Required")
    performSoon()
  }

  func framesReceived(_ count: Int, from id: ConnectionID) {
    broker.framesReceived(count, from: id)
    performSoon()
  }

  func received(_ bytes: [UInt8], from id: ConnectionID) {
    broker.received(bytes, from: id, now: .now())
    performSoon()
  }

  func wrote(_ count: Int, to id: ConnectionID) {
    broker.wrote(count, to: id, now: .now())
    performSoon()
  }

  /// A client sends nothing more. It has what it asked for before its socket closes.
  func inputEnded(_ client: ClientHandler) {
    perform()
    guard let id = client.id, self.client(id) === client else { return client.close() }
    if broker.inputEnded(id) { client.close() } else { client.closesWhenResumed = true }
  }

  /// A client's socket was closed, by either side.
  func closed(_ client: ClientHandler) {
    leaving[ObjectIdentifier(client)] = nil
    if let id = client.id, self.client(id) === client {
      clients[Int(id.index)] = nil
      broker.closed(id)
    }
    performSoon()
  }

  private func client(_ id: ConnectionID) -> ClientHandler? {
    guard Int(id.index) < clients.count, let client = clients[Int(id.index)], client.id == id else {
      return nil
    }
    return client
  }

  var hasClients: Bool { !leaving.isEmpty || clients.contains { $0 != nil } }

  // MARK: Effects

  /// Performs the broker's effects after all events of this round of the loop, so that each destination is written to
  /// once for all of them.
  func performSoon() {
    guard !hasScheduledEffects else { return }
    hasScheduledEffects = true
    loop.assumeIsolated().execute { [self] in
      hasScheduledEffects = false
      perform()
    }
  }

  /// Performs the broker's effects, with one write for each destination.
  func perform() {
    guard !isClosed else { return }
    // An effect may free room in a connection's output, which leads to further effects.
    while true {
      let effects = broker.takeEffects(now: .now())
      if effects.isEmpty { break }
      for effect in effects { perform(effect) }
    }
    takeTurnSoon()
    checkShutdown()
  }

  private func perform(_ effect: Broker.Effect) {
    switch effect {
    case .write(let bytes, let id, isLast: false): client(id)?.write(bytes)
    case .write(let bytes, let id, isLast: true):
      guard let client = client(id) else { return }
      clients[Int(id.index)] = nil
      // With so many that leave, there is no time to wait for the arrival of every last message.
      let waits = leaving.count < broker.limits.closingConnections || isShuttingDown
      leaving[ObjectIdentifier(client)] = client
      client.leave(saying: bytes, waits: waits)
    case .cut(let id):
      logger.notice("relay cut a slow consumer", metadata: ["connection": "\(id.number)"])
      client(id)?.close()
    case .pause(let id, let duration):
      client(id)?.setReading(false)
      schedule(in: TimeAmount(duration)) { [self] in
        broker.resume(id, now: .now())
        perform()
      }
    case .hold(let id): client(id)?.setReading(false)
    case .resume(let id):
      guard let client = client(id) else { return }
      client.setReading(true)
      // After the effects that follow this one.
      if client.closesWhenResumed {
        loop.assumeIsolated().execute { [self] in inputEnded(client) }
      }
    case .deliver(let subject, let payload, let id):
      attachments[id]?.received(subject: subject, payload: payload)
    case .warn(let text, let id): attachments[id]?.warned(text)
    }
  }

  private func takeTurnSoon() {
    guard broker.hasTurns, !hasScheduledTurn else { return }
    hasScheduledTurn = true
    schedule(in: Self.turnPause) { [self] in
      hasScheduledTurn = false
      broker.takeTurn(now: .now())
      perform()
    }
  }

  // MARK: Time

  /// Lets time pass for the broker from now on.
  func start() {
    schedule(in: Self.tickInterval) { [self] in
      let before = broker.statistics.staleConnections
      broker.tick(now: .now())
      perform()
      if broker.statistics.staleConnections > before {
        logger.info("relay dropped a connection that no longer answers")
      }
      start()
    }
  }

  // MARK: Listening

  /// Serves at a listening socket from now on.
  ///
  /// - Returns: the number that names it; nil if the relay is about to stop.
  func add(_ listener: any Channel) -> Int? {
    guard !isShuttingDown, !isClosed else {
      listener.close(promise: nil)
      return nil
    }
    defer { nextListener += 1 }
    listeners[nextListener] = listener
    return nextListener
  }

  func endListener(_ number: Int) { listeners.removeValue(forKey: number)?.close(promise: nil) }

  /// Accepts no connections any more.
  func stopListening() {
    for listener in listeners.values { listener.close(promise: nil) }
    listeners = [:]
  }

  // MARK: The end

  func endOutputs() {
    for client in clients { client?.endOutput() }
  }

  /// Closes everything. No method may be called afterwards.
  func close() {
    isClosed = true
    endAttachments()
    stopListening()
    for client in clients { client?.close() }
    for client in leaving.values { client.close() }
  }
}
