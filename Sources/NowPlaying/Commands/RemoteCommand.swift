import Synchronization

/// Identifies a handler, so that it can be removed. Mirrors the return value of `addTarget(handler:)`.
public struct RemoteCommandTarget: Hashable, Sendable {
  let id: UInt64
}

/// A command that other programs may request. Mirrors `MPRemoteCommand`.
///
/// A command without handlers isn't offered. A command that isn't enabled is offered as unavailable, and a request for
/// it has no effect.
public final class RemoteCommand<Event: RemoteCommandEvent>: Sendable {
  /// A closure that carries out a command and returns the result. It is called on any thread.
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

  /// A Boolean value that indicates whether the command is possible now; true at first.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { update { $0.isEnabled = newValue } }
  }

  var settings: Event.Settings {
    get { state.withLock { $0.settings } }
    set { update { $0.settings = newValue } }
  }

  var hasTargets: Bool { state.withLock { !$0.handlers.isEmpty } }

  /// A Boolean value that indicates whether a request for the command has an effect.
  var isAvailable: Bool { state.withLock { $0.isEnabled && !$0.handlers.isEmpty } }

  /// Adds a handler.
  ///
  /// - Parameter handler: carries out the command. It is called for one command at a time; the requester gets its
  ///   answer when the handler returns.
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

  /// Removes a handler.
  ///
  /// - Parameter target: the handler; nil for all handlers.
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

  /// Calls every handler, in the order in which they were added.
  ///
  /// - Returns: success if all succeed, otherwise the status of the first one that doesn't.
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
  /// The program's skip intervals, the best first. Readers use their own intervals; but if a program has no handler for
  /// the next or the previous track, the buttons for those skip by the first of these.
  ///
  /// Mirrors `MPSkipIntervalCommand.preferredIntervals`.
  public var preferredIntervals: [Duration] {
    get { settings.preferredIntervals }
    set { settings.preferredIntervals = newValue.filter { $0 > .zero } }
  }
}

extension RemoteCommand where Event == ChangePlaybackRateEvent {
  /// The range of supported rates, which includes 1.
  ///
  /// Mirrors `MPChangePlaybackRateCommand.supportedPlaybackRates`, which lists each rate.
  public var supportedPlaybackRates: ClosedRange<Double> {
    get { settings.supportedPlaybackRates }
    set {
      precondition(newValue.contains(1) && newValue.lowerBound > 0, "rates \(newValue)")
      settings.supportedPlaybackRates = newValue
    }
  }
}
