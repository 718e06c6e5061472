import Synchronization

/// Stands for a handler, to take it back. Mirrors what `addTarget(handler:)` returns.
public struct RemoteCommandTarget: Hashable, Sendable {
  let id: UInt64
}

/// One thing that other programs may ask for. Mirrors `MPRemoteCommand`.
///
/// One without handlers isn't offered. One that isn't enabled is offered as not possible now, and asking for it has no
/// effect.
public final class RemoteCommand<Event: RemoteCommandEvent>: Sendable {
  public typealias Handler = @Sendable (Event) async -> RemoteCommandStatus

  private struct State {
    var isEnabled = true
    var settings = Event.initialSettings
    var handlers: [(id: UInt64, handler: Handler)] = []
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())
  private let changed: @Sendable () -> Void

  init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

  /// Whether it is possible now; true at first.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { update { $0.isEnabled = newValue } }
  }

  var settings: Event.Settings {
    get { state.withLock { $0.settings } }
    set { update { $0.settings = newValue } }
  }

  var hasTargets: Bool { state.withLock { !$0.handlers.isEmpty } }

  /// Whether asking for it has an effect.
  var isAvailable: Bool { state.withLock { $0.isEnabled && !$0.handlers.isEmpty } }

  /// - Parameter handler: carries the command out; called for one command at a time, and whoever asked is answered when
  ///   it returns.
  @discardableResult
  public func addTarget(_ handler: @escaping Handler) -> RemoteCommandTarget {
    let id = state.withLock { state in
      state.lastID += 1
      state.handlers.append((state.lastID, handler))
      return state.lastID
    }
    changed()
    return RemoteCommandTarget(id: id)
  }

  /// - Parameter target: nil for all of them.
  public func removeTarget(_ target: RemoteCommandTarget?) {
    state.withLock { state in
      state.handlers.removeAll { target == nil || $0.id == target?.id }
    }
    changed()
  }

  private func update(_ body: (inout State) -> Void) {
    let isNew = state.withLock { state in
      let before = (state.isEnabled, state.settings)
      body(&state)
      return before != (state.isEnabled, state.settings)
    }
    if isNew { changed() }
  }

  /// Has it carried out by every handler, in the order in which they came.
  ///
  /// - Returns: success if all say so, else what the first one says that doesn't.
  func perform(_ event: Event) async -> RemoteCommandStatus {
    let handlers = state.withLock { $0.isEnabled ? $0.handlers.map(\.handler) : [] }
    guard !handlers.isEmpty else { return .commandFailed }
    var result = RemoteCommandStatus.success
    for handler in handlers {
      let status = await handler(event)
      if result == .success { result = status }
    }
    return result
  }
}

extension RemoteCommand where Event == SkipIntervalEvent {
  /// What the program would skip by, the best first. Readers bring their own intervals; but where a program has no
  /// handler for the next or the previous track, the buttons for those skip by the first of these.
  ///
  /// Mirrors `MPSkipIntervalCommand.preferredIntervals`.
  public var preferredIntervals: [Duration] {
    get { settings.preferredIntervals }
    set { settings.preferredIntervals = newValue.filter { $0 > .zero } }
  }
}

extension RemoteCommand where Event == ChangePlaybackRateEvent {
  /// The rates that are possible: the slowest to the fastest, 1 among them.
  ///
  /// Mirrors `MPChangePlaybackRateCommand.supportedPlaybackRates`, which names each.
  public var supportedPlaybackRates: ClosedRange<Double> {
    get { settings.supportedPlaybackRates }
    set {
      precondition(newValue.contains(1) && newValue.lowerBound > 0, "rates \(newValue)")
      settings.supportedPlaybackRates = newValue
    }
  }
}
