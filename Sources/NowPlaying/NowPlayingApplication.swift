import Foundation
import Synchronization
import Timekeeping

/// This program as the desktop sees it: one player on the session bus, which shows the active one of its sessions.
///
/// The program takes no name on the bus, and makes no connection to it, before a session has something to play. Without
/// a bus the application is silent.
public actor NowPlayingApplication {
  /// The program's presentation.
  public struct Description: Hashable, Sendable {
    /// The program's name for the bus: letters, digits, `_` and `-`. The bus name is `org.mpris.MediaPlayer2.` and this
    /// name; further instances add `.instance` and the process's number.
    public var name: String
    /// The program's name for people; never empty.
    public var identity: String
    /// The desktop entry's name without `.desktop`; nil if there is none.
    public var desktopEntry: String?
    /// The URL schemes that the program opens, in lower case.
    public var urlSchemes: [String]
    /// The media types that the program opens, such as `video/mp4` (MPRIS `SupportedMimeTypes`).
    public var mediaTypes: [String]

    /// Creates a description.
    ///
    /// - Parameters:
    /// - name: 1 to 100 ASCII letters, digits, `_` and `-`, not beginning with a digit.
    /// - identity: the program's name for people; not empty.
    public init(
      name: String, identity: String, desktopEntry: String? = nil, urlSchemes: [String] = [],
      mediaTypes: [String] = []
    ) {
      let isPlain = name.utf8.allSatisfy { byte in
        (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte)
          || byte == 95 || byte == 45
      }
      let startsWithDigit = name.utf8.first.map { (48...57).contains($0) } ?? true
      precondition(isPlain && !startsWithDigit && name.utf8.count <= 100, "a bus name “\(name)”")
      precondition(!identity.isEmpty, "an application without an identity")
      self.name = name
      self.identity = identity
      self.desktopEntry = desktopEntry
      self.urlSchemes = urlSchemes
      self.mediaTypes = mediaTypes
    }
  }

  /// The program's presentation, constant for the application's life.
  public nonisolated let description: Description
  private nonisolated let bus: BusConnection
  private nonisolated let calls: AsyncStream<(BusConnection.CallID, BusCall)>.Continuation
  private let requests: AsyncStream<(BusConnection.CallID, RemoteCommandRequest)>.Continuation

  private var machine = MPRISMachine()
  /// The sessions, with the most recently activated one at the end.
  private var sessions: [NowPlayingSession] = []
  private var active: NowPlayingSession?
  /// The sessions that had something to play at the last update.
  private var playable: Set<ObjectIdentifier> = []
  private var updating: Task<Void, Never>?
  private var tasks: [Task<Void, Never>] = []
  private var boundary: Task<Void, Never>?
  private var isInvalidated = false

  private static let callLimit = 256

  /// Creates the application's player.
  ///
  /// - Parameters:
  ///   - description: the program's presentation.
  ///   - busAddress: the bus's address; nil for the session bus.
  public init(_ description: Description, busAddress: String? = nil) {
    self.description = description
    let (incoming, calls) = AsyncStream.makeStream(
      of: (BusConnection.CallID, BusCall).self, bufferingPolicy: .bufferingOldest(Self.callLimit))
    let (wanted, requests) = AsyncStream.makeStream(
      of: (BusConnection.CallID, RemoteCommandRequest).self,
      bufferingPolicy: .bufferingOldest(Self.callLimit))
    self.calls = calls
    self.requests = requests
    bus = BusConnection(address: busAddress) { id, call in
      switch calls.yield((id, call)) {
      case .enqueued: true
      case .dropped, .terminated: false
      @unknown default: false
      }
    }
    Task { [weak self] in await self?.serve(incoming, wanted) }
  }

  deinit {
    for task in tasks { task.cancel() }
    boundary?.cancel()
    calls.finish()
    requests.finish()
    bus.stop()
  }

  /// Leaves the bus, and ends all sessions. No other call may follow.
  public func invalidate() async {
    isInvalidated = true
    for session in sessions { session.stop() }
    sessions = []
    active = nil
    boundary?.cancel()
    perform(machine.publish(nil, at: .now()))
    calls.finish()
    requests.finish()
    for task in tasks { task.cancel() }
    bus.stop()
  }

  private func serve(
    _ incoming: AsyncStream<(BusConnection.CallID, BusCall)>,
    _ wanted: AsyncStream<(BusConnection.CallID, RemoteCommandRequest)>
  ) {
    guard !isInvalidated else { return }
    tasks = [
      Task { [weak self] in
        for await (id, call) in incoming { await self?.answer(id, call) }
      },
      Task { [weak self] in
        for await (id, request) in wanted { await self?.perform(id, request) }
      },
    ]
  }

  // MARK: - Calls

  private func answer(_ id: BusConnection.CallID, _ call: BusCall) {
    switch machine.answer(call, at: .now()) {
    case .reply(let values): bus.answer(id, with: .success(values))
    case .failure(let error): bus.answer(id, with: .failure(error))
    case .perform(let request):
      if case .enqueued = requests.yield((id, request)) { return }
      bus.answer(id, with: .failure(.tooMuch))
    }
  }

  private func perform(_ id: BusConnection.CallID, _ request: RemoteCommandRequest) async {
    // After quitting, the program may no longer be able to answer.
    if request == .quit { bus.answer(id, with: .success([])) }
    let status = await active?.remoteCommandCenter.perform(request) ?? .noActionableNowPlayingItem
    // A requester who reads the properties after the answer sees the result.
    await update()
    bus.answer(id, with: status.answer)
  }

  // MARK: - Sessions

  var activeSession: NowPlayingSession? { active }

  func add(_ session: NowPlayingSession) async {
    guard !isInvalidated, !sessions.contains(where: { $0 === session }) else { return }
    sessions.insert(session, at: 0)
    await update()
  }

  func remove(_ session: NowPlayingSession) async {
    sessions.removeAll { $0 === session }
    if active === session { active = nil }
    await update()
  }

  /// Makes a session the active one.
  ///
  /// - Returns: whether the session is the active one now.
  func activate(_ session: NowPlayingSession) async -> Bool {
    await update()
    guard playable.contains(ObjectIdentifier(session)),
      let index = sessions.firstIndex(where: { $0 === session })
    else { return false }
    sessions.append(sessions.remove(at: index))
    active = session
    await update()
    return active === session
  }

  func canActivate(_ session: NowPlayingSession) async -> Bool {
    await update()
    return playable.contains(ObjectIdentifier(session))
  }

  /// Reads all sessions' states, and publishes the changes. Updates run one after another; the method returns when its
  /// own is done.
  func update() async {
    let before = updating
    let task = Task {
      await before?.value
      await self.look()
    }
    updating = task
    await task.value
  }

  private func look() async {
    var states: [ObjectIdentifier: NowPlayingState] = [:]
    for session in sessions {
      states[ObjectIdentifier(session)] = await session.currentState()
    }
    guard !isInvalidated else { return }
    playable = Set(states.keys)
    func isPlayable(_ session: NowPlayingSession) -> Bool {
      states[ObjectIdentifier(session)] != nil
    }
    if active.map(isPlayable) != true, let next = sessions.last(where: isPlayable) {
      active = next
    }
    let now = HostTime.now()
    let publication = active.map { session in
      Publication(
        description: description, state: states[ObjectIdentifier(session)],
        commands: session.remoteCommandCenter.availability)
    }
    perform(machine.publish(publication, at: now))
    watchBoundary(after: now)
  }

  private func perform(_ actions: [MPRISMachine.Action]) {
    for action in actions {
      switch action {
      case .appear: bus.own(names: BusName.candidates(for: description.name))
      case .disappear: bus.disown()
      case .signal(let signal): bus.send(signal)
      }
    }
  }

  /// Schedules an update for the next beginning or end of an advertisement, for which there is no event.
  private func watchBoundary(after now: HostTime) {
    boundary?.cancel()
    boundary = nil
    guard let instant = machine.nextChange(after: now) else { return }
    boundary = Task { [weak self] in
      // A little later, when the boundary has certainly passed.
      try? await Task.sleep(for: instant - now + .milliseconds(10), clock: .suspending)
      if !Task.isCancelled { await self?.update() }
    }
  }
}

/// The names on the bus (MPRIS 2.2, "Bus Name Policy").
enum BusName {
  static let prefix = "org.mpris.MediaPlayer2."

  /// Returns the possible names, the best first: another instance of the program may have the plain one, and this
  /// process may have another player.
  static func candidates(
    for name: String, process: Int32 = ProcessInfo.processInfo.processIdentifier
  ) -> [String] {
    let instance = prefix + name + ".instance\(process)"
    return [prefix + name, instance] + (2...9).map { "\(instance)_\($0)" }
  }
}
