import Concurrency
import GroupActivities
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import Timekeeping

/// A door for friends with a client of Syncplay's protocol: it listens for their connections, and runs a participant for each
/// of them.
package actor SyncplayDoor {
  /// The password that clients have to know.
  package nonisolated let password: String
  /// The address on which the door listens, `*` for all addresses.
  package nonisolated let host: String
  /// Returns the certificate for a client that asks for TLS; nil for a door without encryption.
  private nonisolated let certificate: (@Sendable () -> NIOSSLContext)?
  private let listener = Mutex<(any Channel)?>(nil)
  private var party: Surroundings?
  private var guests: [Int: Connection] = [:]
  private var last = 0

  /// The party that the door is open for.
  private struct Surroundings {
    var invite: Invite
    var keeper: Participant
    var ways: Door.Ways
    var film: DoorFilm?
    var names: @Sendable () async -> [String]
  }

  private struct Connection {
    var guest: SyncplayGuest
    /// A Boolean value that indicates whether the client knows the password.
    var isGuest = false
    var close: @Sendable () -> Void
  }

  /// A Boolean value that indicates whether clients that ask for it are encrypted.
  package nonisolated var offersTLS: Bool { certificate != nil }

  /// The guests of one door, as for pages.
  static let guestLimit = DoorMachine.guestLimit
  /// The connections whose clients haven't said the password. The oldest makes room for the newest.
  static let visitorLimit = 16
  private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// - Parameters:
  ///   - host: an address of this machine, or `*` for all of them.
  ///   - certificate: returns the certificate for a client that asks for TLS; nil for a door without encryption.
  package init(on host: String, certificate: (@Sendable () -> NIOSSLContext)?) {
    (self.host, self.certificate) = (host, certificate)
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    var random = SystemRandomNumberGenerator()
    let groups = (0..<3).map { _ in
      String((0..<4).map { _ in letters.randomElement(using: &random)! })
    }
    password = groups.joined(separator: "-")
  }

  /// The port on which the door listens; nil before ``listen(port:)``, and once it is closed.
  package nonisolated var port: Int? { listener.withLock { $0 }?.localAddress?.port }

  /// Listens for clients, which are shown out until the door is open.
  ///
  /// - Parameter port: 0 for any free port.
  /// - Throws: the reason why the port can't be had.
  package func listen(port: Int) async throws {
    let bootstrap = ServerBootstrap(group: Self.loop)
      .serverChannelOption(.backlog, value: 64)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { [weak self] channel in
        let handler = SyncplayConnection { [weak self] in await self?.accept(channel, $0) }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
    // On Linux a socket on :: accepts IPv4 too, unless the system has no IPv6.
    let hosts = host == "*" ? ["::", "0.0.0.0"] : [host]
    var reason = ""
    for host in hosts {
      do {
        let channel = try await bootstrap.bind(host: host, port: port).get()
        return listener.withLock { $0 = channel }
      } catch {
        reason = RoomLine.words(for: error)
      }
    }
    throw RoomProblem(kind: .refused, description: reason)
  }

  deinit { listener.withLock { $0 }?.close(promise: nil) }

  /// Opens the door to a party.
  ///
  /// - Parameters:
  ///   - keeper: this program's participant.
  ///   - names: the names in the party.
  package func open(
    to invite: Invite, keeper: Participant, film: DoorFilm?, through ways: Door.Ways,
    names: @escaping @Sendable () async -> [String]
  ) {
    party = Surroundings(invite: invite, keeper: keeper, ways: ways, film: film, names: names)
  }

  /// The keeper's player has another film, or none, and guests come in through these ways from now on.
  package func show(_ film: DoorFilm?, through ways: Door.Ways) {
    party?.ways = ways
    guard film != party?.film else { return }
    party?.film = film
    for guest in guests.values.map(\.guest) { Task { await guest.keeperFilmChanged(to: film) } }
  }

  /// Closes the door: its guests are shown out.
  package func close() async {
    listener.withLock { $0.take() }?.close(promise: nil)
    let (keeper, guests) = (party?.keeper, guests)
    party = nil
    for guest in guests.values {
      await guest.guest.end("\(keeper?.name ?? "The keeper")'s program has ended.")
    }
  }

  // MARK: - The clients

  private func accept(_ channel: any Channel, _ arrivals: SyncplayConnection.Arrivals) async {
    guard let party else { return channel.close(promise: nil) }
    last += 1
    let number = last
    let context = GuestContext(keeper: party.keeper, to: party.invite, through: party.ways) {
      bytes in
      // A client that doesn't read is gone.
      guard channel.isWritable else { return channel.close(promise: nil) }
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    } ended: { [weak self] in
      await self?.ended(number)
    }
    let guest = SyncplayGuest(
      SyncplaySession(
        password: password, keeper: party.keeper.name, offersTLS: offersTLS, at: .now()),
      film: party.film, context
    ) { [weak self] in
      await self?.admit(number)
    } secure: { [certificate] in
      channel.eventLoop.execute {
        guard let certificate else { return }
        let handler = NIOSSLServerHandler(context: certificate())
        try? channel.pipeline.syncOperations.addHandler(handler, position: .first)
      }
    } close: {
      channel.close(promise: nil)
    }
    let visitors = guests.filter { !$0.value.isGuest }.keys.sorted()
    if visitors.count >= Self.visitorLimit {
      guests.removeValue(forKey: visitors[0])?.close()
    }
    guests[number] = Connection(guest: guest) { channel.close(promise: nil) }
    await guest.begin()
    for await (arrival, time) in arrivals { await guest.received(arrival, at: time) }
    await guest.end()
  }

  /// - Returns: the names in the party; nil if the door is full.
  private func admit(_ number: Int) async -> [String]? {
    guard guests.count(where: \.value.isGuest) < Self.guestLimit, guests[number] != nil else {
      return nil
    }
    guests[number]?.isGuest = true
    return await party?.names()
  }

  private func ended(_ number: Int) { guests[number] = nil }
}

/// One client's connection, on its event loop: its bytes become lines.
final class SyncplayConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias Arrivals = AsyncStream<(SyncplayArrival, HostTime)>

  private let accept: @Sendable (Arrivals) async -> Void
  private let arrivals: Arrivals
  private let sending: Arrivals.Continuation
  private var splitter = LineSplitter()

  /// The lines that wait to be handled.
  private static let backlog = 256

  init(_ accept: @escaping @Sendable (Arrivals) async -> Void) {
    self.accept = accept
    (arrivals, sending) = Arrivals.makeStream(bufferingPolicy: .bufferingOldest(Self.backlog))
  }

  func channelActive(context: ChannelHandlerContext) {
    // It ends with the arrivals.
    Task { [accept, arrivals] in await accept(arrivals) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = HostTime.now()
    guard let new = splitter.append(unwrapInboundIn(data).readableBytesView) else {
      return context.close(promise: nil)
    }
    for line in new { pass(.line(line), at: now, context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted = event as? TLSUserEvent else { return }
    // Anyone on the way could have put a beginning before the first line of the client.
    guard splitter.isEmpty else { return context.close(promise: nil) }
    pass(.secured, at: .now(), context)
  }

  private func pass(
    _ arrival: SyncplayArrival, at now: HostTime, _ context: ChannelHandlerContext
  ) {
    guard case .enqueued = sending.yield((arrival, now)) else {
      return context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { sending.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
