/// The end of a core: requested by the program, or by the user in mpv's window.
struct Lifecycle: Hashable, Sendable {
  private(set) var isShutDown = false
  private var isQuitting = false

  /// The program asked the core to end.
  mutating func quitRequested() { isQuitting = true }

  /// The core has ended.
  ///
  /// - Returns: whether the user ended it.
  mutating func wasShutDown() -> Bool {
    isShutDown = true
    return !isQuitting
  }
}
