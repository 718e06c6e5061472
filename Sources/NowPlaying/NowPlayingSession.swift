import Foundation
import Synchronization

/// What is played at one place in a program: one player, or several that play as one (the angles of an event).
///
/// A program may have several sessions, say a film and a picture-in-picture; one at a time is the active one, which
/// other programs see and command. The first that has something to play is active by itself. A session lasts until
/// ``invalidate()``.
///
/// Mirrors `MPNowPlayingSession`.
public final class NowPlayingSession: Sendable {
  /// What other programs may ask this session for.
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
  /// Something is to be looked at again: many changes at once count as one.
  private let changes: AsyncStream<Void>.Continuation
  private let watching: Task<Void, Never>

  /// - Parameters:
  ///   - players: that play as one; the first of those that play is shown.
  ///   - application: on whose behalf it is shown.
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

  /// Those that play as one. Mirrors `players`.
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

  /// Whether the players' state is published, which is so at first; else ``publish(_:)`` says what is.
  ///
  /// Mirrors `automaticallyPublishesNowPlayingInfo`.
  public var automaticallyPublishesNowPlayingInfo: Bool {
    get { state.withLock { $0.isAutomatic } }
    set {
      state.withLock { $0.isAutomatic = newValue }
      changes.yield()
    }
  }

  /// Says what is played, where that isn't done automatically. To be called when something changes, not as time goes by.
  ///
  /// In place of `MPNowPlayingInfoCenter`'s `nowPlayingInfo` and `playbackState`.
  /// - Parameter state: nil for nothing.
  public func publish(_ state: NowPlayingState?) {
    self.state.withLock { $0.published = state }
    changes.yield()
  }

  /// What was published by hand last.
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

  /// Whether other programs see this session now.
  public var isActive: Bool { get async { await application.activeSession === self } }

  /// Whether it has something to play.
  public var canBecomeActive: Bool { get async { await application.canActivate(self) } }

  /// Shows this session instead of the one that is active.
  ///
  /// - Returns: false if it has nothing to play.
  ///
  /// Mirrors `becomeActiveIfPossible(completion:)`.
  @discardableResult
  public func becomeActiveIfPossible() async -> Bool {
    await application.add(self)
    return await application.activate(self)
  }

  /// Ends it: another session with something to play becomes active, if there is one.
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
  /// Which one of several players that play as one is shown: one that plays, else one that wants to, else one that
  /// could; of equals the first.
  static func shown(of states: [NowPlayingState]) -> NowPlayingState? {
    func rank(_ status: Status) -> Int {
      switch status {
      case .playing: 0
      case .waiting: 1
      case .paused: 2
      case .stopped: 3
      }
    }
    // The first of equals, as the standard library's `min` promises.
    return states.min { rank($0.status) < rank($1.status) }
  }
}
