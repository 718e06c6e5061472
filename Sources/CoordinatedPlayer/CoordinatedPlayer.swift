import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// A player on libmpv with a playback coordinator of its own: its transport methods act on the whole group.
///
/// The methods return at once, on any thread, and take effect in the order of the calls. Alone the player obeys them
/// directly. After its ``playbackCoordinator`` has joined a session, they move the group; a command that the party's
/// rules don't permit is reported as ``Event/commandRefused(_:)``. While this participant is suspended, they move this
/// player only.
///
/// Mirrors `AVPlayer` as far as it is coordinated.
public final class CoordinatedPlayer: Sendable {
  /// The player's events, for one consumer. The newest 512 are kept for it.
  public let events: AsyncStream<Event>
  package let engine: PlayerEngine
  private let orders: AsyncStream<PlayerEngine.Order>.Continuation

  /// Creates a player without an item.
  ///
  /// - Parameter options: mpv's options by name, as on its command line without the dashes; they have priority over the
  ///   user's `mpv.conf`. Without a display, or with `vo` set to `null`, there is no picture.
  /// - Throws: an error with a text for users if libmpv can't start, or refuses an option.
  public convenience init(options: [String: String] = [:]) throws {
    try self.init(
      MPVConfiguration(
        video: options["vo"] == "null" ? .none : .window, noConfig: options["config"] == "no",
        options: options.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }))
  }

  /// Creates a player with an item.
  ///
  /// - Throws: like ``init(options:)``.
  public convenience init(url: URL, options: [String: String] = [:]) throws {
    try self.init(options: options)
    replaceCurrentItem(with: PlayerItem(url: url))
  }

  package init(_ configuration: MPVConfiguration) throws(MPVError) {
    let (queue, orders) = AsyncStream.makeStream(
      of: PlayerEngine.Order.self, bufferingPolicy: .bufferingNewest(1024))
    engine = try PlayerEngine(configuration)
    events = engine.events
    self.orders = orders
    let engine = engine
    Task { [weak engine] in
      await engine?.begin()
      for await order in queue { await engine?.carryOut(order) }
    }
  }

  deinit {
    orders.finish()
    let engine = engine
    // An attempt to reach a server would keep the engine. The task ends with mpv.
    Task { await engine.shutDown() }
  }

  /// Ends the player and closes its window. Returns once both are gone.
  public func shutDown() async {
    orders.finish()
    await engine.shutDown()
  }

  // MARK: - Coordination

  /// The coordinator that intercepts the player's transport: join a session and suspend with it. Its
  /// `events` belong to the player, which passes them on as ``Event/coordinator(_:)``.
  ///
  /// Mirrors `AVPlayer.playbackCoordinator`.
  public var playbackCoordinator: DelegatingPlaybackCoordinator { engine.coordinator }

  /// The program's decisions about items, held weakly; nil for the defaults. It counts from the next item on.
  ///
  /// Mirrors `AVPlayerPlaybackCoordinator.delegate`.
  public var coordinatorDelegate: (any PlayerPlaybackCoordinatorDelegate)? {
    get { engine.shown.withLock { $0.delegate } }
    set { engine.shown.withLock { $0.delegate = newValue } }
  }

  /// The events at which a second player with the same options plays other items. Meanwhile this player is suspended for
  /// `playingInterstitial`; then it returns to the group.
  ///
  /// Mirrors `AVPlayerInterstitialEventController.events`.
  public var interstitialEvents: [InterstitialEvent] {
    get { engine.shown.withLock { $0.interstitialEvents } }
    set { engine.shown.withLock { $0.interstitialEvents = newValue } }
  }

  // MARK: - Transport

  /// The current item; nil for none.
  public var currentItem: PlayerItem? { engine.shown.withLock { $0.item } }

  /// Plays another item: at the group's position if the group has one for it, otherwise paused at the item's beginning,
  /// or a few seconds before the end of a live stream.
  public func replaceCurrentItem(with item: PlayerItem?) {
    engine.shown.withLock { $0.item = item }
    orders.yield(.replace(item))
  }

  /// Plays at ``defaultRate``, as soon as all participants are ready.
  public func play() { orders.yield(.play(rate: nil, immediately: false)) }

  /// Pauses, for all participants at the same frame.
  public func pause() { orders.yield(.pause) }

  /// Plays without waiting for the participants that aren't ready.
  ///
  /// - Parameter rate: 0.01 to 100.
  public func playImmediately(atRate rate: Double) {
    orders.yield(.play(rate: rate, immediately: true))
  }

  /// The rate: zero while paused. Setting it is a command like ``play()`` and ``pause()``; 0, or 0.01 to 100.
  public var rate: Double {
    get { engine.shown.withLock { $0.status == .paused ? 0 : $0.rate } }
    set { orders.yield(newValue == 0 ? .pause : .play(rate: newValue, immediately: false)) }
  }

  /// The rate at which ``play()`` plays, which is the group's too; 0.01 to 100.
  public var defaultRate: Double {
    get { engine.shown.withLock { $0.rate } }
    set { orders.yield(.setDefaultRate(newValue)) }
  }

  /// Moves to another position in the item.
  public func seek(to itemTime: MediaTime) { orders.yield(.seek(itemTime)) }

  /// Moves to the part of a live stream with this date.
  public func seek(to date: Date) { orders.yield(.seekToDate(date)) }

  // MARK: - State

  /// The position, from the last measurement and the clock; nil before the item is loaded.
  public func currentTime() -> MediaTime? { engine.shown.withLock { $0.itemTime(at: .now()) } }

  /// The date of the position in a live stream; nil for other items.
  public func currentDate() -> Date? {
    engine.shown.withLock { shown in
      guard let origin = shown.origin, let here = shown.itemTime(at: .now()) else { return nil }
      return Date(timeIntervalSince1970: origin.seconds + here.seconds)
    }
  }

  /// The duration of the item; nil while it isn't known, and for a live stream.
  public var duration: MediaTime? { engine.shown.withLock { $0.duration } }

  /// The relation of the player to the rate that was asked for. Mirrors `AVPlayer.timeControlStatus`.
  public var timeControlStatus: TimeControlStatus { engine.shown.withLock { $0.status } }

  /// The reason for which the player waits; nil unless it does. Mirrors `AVPlayer.reasonForWaitingToPlay`.
  public var reasonForWaitingToPlay: WaitingReason? { engine.shown.withLock { $0.reason } }

  /// The second player, while it plays an interstitial event; nil otherwise. Its events are the primary player's.
  public var interstitialPlayer: CoordinatedPlayer? { engine.shown.withLock { $0.second } }
}
