import Foundation
import Synchronization

/// One unit of playback in a program: one player, or several that play as one (the angles of an event).
///
/// A program may have several sessions, for example a film and a picture-in-picture. One at a time is the active one,
/// which other programs see and command. The first one with something to play becomes active automatically. A session
/// lasts until ``invalidate()``.
///
/// Mirrors `MPNowPlayingSession`.
public final class NowPlayingSession: Sendable {
  /// The commands that other programs may request from this session.
  public let remoteCommandCenter: RemoteCommandCenter

  private struct State {
    var players: [any NowPlayingPlayer] = []
    var watchers: [ObjectIdentifier: Task<Void, Never>] = [:]
    var isAutomatic = true
    var published: NowPlayingState?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let application: NowPlayingApplication
  /// Requests an update: many changes at once count as one.
  private let changes: AsyncStream<Void>.Continuation
  private let watching: Task<Void, Never>

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - players: players that play as one; ``NowPlayingState/Status`` decides which of them is shown.
  ///   - application: the application that shows the session.
  public init(players: [any NowPlayingPlayer] = [], in application: NowPlayingApplication) {
    self.application = application
    let (stream, changes) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    remoteCommandCenter = RemoteCommandCenter { changes.yield() }
    watching = Task { [weak application] in
      for await _ in stream { await application?.update() }
    }
    for player in players { watch(player) }
    Task { await application.add(self) }
  }

  // MARK: - Players

  /// The players that play as one. Mirrors `players`.
  public var players: [any NowPlayingPlayer] { state.withLock { $0.players } }

  /// Mirrors `addPlayer(_:)`.
  public func addPlayer(_ player: any NowPlayingPlayer) { watch(player) }

  /// Mirrors `removePlayer(_:)`.
  public func removePlayer(_ player: any NowPlayingPlayer) {
    state.withLock { state in
      state.players.removeAll { $0 === player }
      state.watchers.removeValue(forKey: ObjectIdentifier(player))?.cancel()
    }
    changes.yield()
  }

  private func watch(_ player: any NowPlayingPlayer) {
    let changes = changes
    state.withLock { state in
      guard !state.isStopped, !state.players.contains(where: { $0 === player }) else { return }
      state.players.append(player)
      let elements = player.nowPlayingChanges()
      state.watchers[ObjectIdentifier(player)] = Task {
        for await _ in elements { changes.yield() }
      }
    }
    changes.yield()
  }

  // MARK: - What is published

  /// A Boolean value that indicates whether the session publishes the players' state. True at first; otherwise it
  /// publishes the state from ``publish(_:)``.
  ///
  /// Mirrors `automaticallyPublishesNowPlayingInfo`.
  public var automaticallyPublishesNowPlayingInfo: Bool {
    get { state.withLock { $0.isAutomatic } }
    set {
      state.withLock { $0.isAutomatic = newValue }
      changes.yield()
    }
  }

  /// Sets the state that is published if that isn't done automatically. The program calls this for changes, not for the
  /// passing of time.
  ///
  /// Replaces `nowPlayingInfo` and `playbackState` of `MPNowPlayingInfoCenter`.
  ///
  /// - Parameter state: the state; nil for nothing.
  public func publish(_ state: NowPlayingState?) {
    self.state.withLock { $0.published = state }
    changes.yield()
  }

  /// The last state from ``publish(_:)``.
  public var publishedState: NowPlayingState? { state.withLock { $0.published } }

  func currentState() async -> NowPlayingState? {
    let (players, isAutomatic, published) = state.withLock {
      ($0.players, $0.isAutomatic, $0.published)
    }
    guard isAutomatic else { return published }
    var states: [NowPlayingState] = []
    for player in players {
      if let state = await player.nowPlayingState() { states.append(state) }
    }
    return NowPlayingState.shown(of: states)
  }

  // MARK: - Being the active one

  /// A Boolean value that indicates whether other programs see this session now.
  public var isActive: Bool { get async { await application.activeSession === self } }

  /// A Boolean value that indicates whether the session has something to play.
  public var canBecomeActive: Bool { get async { await application.canActivate(self) } }

  /// Shows this session instead of the active one.
  ///
  /// - Returns: false if it has nothing to play.
  ///
  /// Mirrors `becomeActiveIfPossible(completion:)`.
  @discardableResult
  public func becomeActiveIfPossible() async -> Bool {
    await application.add(self)
    return await application.activate(self)
  }

  /// Ends the session. Another session with something to play becomes active, if there is one.
  public func invalidate() async {
    stop()
    await application.remove(self)
  }

  func stop() {
    let watchers = state.withLock { state in
      defer { state.watchers = [:] }
      state.isStopped = true
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.cancel() }
    changes.finish()
    watching.cancel()
  }
}

extension NowPlayingState {
  /// Returns the state that is shown for several players that play as one: a playing one, otherwise a waiting one,
  /// otherwise a paused one, otherwise a stopped one; the first of equals.
  static func shown(of states: [NowPlayingState]) -> NowPlayingState? {
    func rank(_ status: Status) -> Int {
      switch status {
      case .playing: 0
      case .waiting: 1
      case .paused: 2
      case .stopped: 3
      }
    }
    // The standard library's `min` returns the first of equals.
    return states.min { rank($0.status) < rank($1.status) }
  }
}

/// A player in a ``NowPlayingSession``. Replaces `AVPlayer`, which doesn't exist here.
public protocol NowPlayingPlayer: AnyObject, Sendable {
  /// Returns the player's current state; nil while there is nothing to play.
  func nowPlayingState() async -> NowPlayingState?

  /// Returns a stream with an element for each change of the state that isn't explained by the passing of time. Extra
  /// elements do no harm. The stream is for one reader: a session asks once. It is best made with
  /// `.bufferingNewest(1)`.
  func nowPlayingChanges() -> AsyncStream<Void>
}
