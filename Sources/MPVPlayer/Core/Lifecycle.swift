/// The start of a core, with the user's configuration, and its end: requested by the program, or by the user in mpv's
/// window.
struct Lifecycle: Hashable, Sendable {
  /// The report about the configuration; nil once it is complete.
  var configurationReport: ConfigurationReport?
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
