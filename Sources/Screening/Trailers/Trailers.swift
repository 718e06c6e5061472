/// The machine that decides about the trailers before the film: they are shown once, before the first film, one after
/// another, in a player of their own. The participant is apart from the group meanwhile.
package struct Trailers: Sendable {
  package enum State: Hashable, Sendable {
    /// No film has begun. The first one leads to `separating`.
    case ahead
    /// The participant is being separated from the group, which leads to `opening`.
    case separating
    /// The trailers' player is being opened, which leads to `showing`, or to `over` if that fails.
    case opening
    /// A trailer is loading or on the screen, until the end of the last one, a failure or the user's stop: `closing`.
    case showing
    /// The trailers' player is being closed, which leads to `over`.
    case closing
    /// All trailers were shown or skipped, or there are none.
    case over
  }

  package enum Event: Hashable, Sendable {
    /// A film is open.
    case filmBegan
    /// The answer to ``Directive/separate``.
    case separated
    /// The answers to ``Directive/openPlayer``; a failure is ``failed(_:)``.
    case opened
    /// The trailer on the screen is over, or the user closed it in the player.
    case trailerEnded
    /// The player can't be opened, or can't play the trailer. The trailers after it are skipped.
    case failed(String)
    /// The trailers' player is gone.
    case playerGone
    /// The user skips the trailers, or the program ends.
    case stopped
    /// The answer to ``Directive/closePlayer``.
    case closed
    /// The trailer on the screen is paused, or plays.
    case paused(Bool)
  }

  package enum Directive: Hashable, Sendable {
    case separate
    case openPlayer
    case play(String)
    /// Shut the trailers' player down.
    case closePlayer
    /// Show the film's picture instead of the trailers'.
    case showFilm
    /// Return to the group.
    case rejoin
    case warn(String)
  }

  package private(set) var state: State
  /// The locations of the trailers that have yet to be shown.
  private var remaining: ArraySlice<String>

  package init(_ locations: [String]) {
    remaining = locations[...]
    state = locations.isEmpty ? .over : .ahead
  }

  /// A Boolean value that indicates whether the trailer on the screen is paused; nil without a trailer.
  var isPaused: Bool? { isShown ? isShownPaused : nil }
  private var isShownPaused = false

  /// A Boolean value that indicates whether the trailers' player is there.
  package var isShown: Bool {
    switch state {
    case .showing, .closing: true
    case .ahead, .separating, .opening, .over: false
    }
  }

  /// Handles an event.
  package mutating func handle(_ event: Event) -> [Directive] {
    switch event {
    case .filmBegan:
      guard state == .ahead else { return [] }
      state = .separating
      return [.separate]
    case .separated:
      // Skipped meanwhile.
      guard state == .separating else { return [.rejoin] }
      state = .opening
      return [.openPlayer]
    case .opened:
      guard state == .opening else { return [] }
      state = .showing
      return playNext()
    case .trailerEnded:
      guard state == .showing else { return [] }
      return playNext()
    case .failed(let reason): return failed(reason)
    case .playerGone:
      guard state == .showing else { return [] }
      return close()
    case .stopped: return stopped()
    case .closed:
      guard state == .closing else { return [] }
      state = .over
      return [.showFilm, .rejoin]
    case .paused(let isPaused):
      isShownPaused = isPaused
      return []
    }
  }

  private mutating func playNext() -> [Directive] {
    guard let next = remaining.popFirst() else { return close() }
    return [.play(next)]
  }

  private mutating func failed(_ reason: String) -> [Directive] {
    let warning = Directive.warn("The trailer can't be played: \(reason)")
    switch state {
    case .opening:
      state = .over
      return [warning, .rejoin]
    case .showing: return [warning] + close()
    // A player that is being closed plays nothing.
    case .ahead, .separating, .closing, .over: return []
    }
  }

  private mutating func stopped() -> [Directive] {
    switch state {
    case .separating:
      state = .over
      return []
    case .showing: return close()
    case .ahead, .opening, .closing, .over: return []
    }
  }

  private mutating func close() -> [Directive] {
    state = .closing
    return [.closePlayer]
  }
}
