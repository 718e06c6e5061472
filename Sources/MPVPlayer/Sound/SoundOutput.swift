/// The output and the device of the sound.
struct SoundOutput: Hashable, Sendable {
  /// A choice and an output for which the device has to be found out.
  struct Search: Hashable, Sendable {
    /// mpv's `audio-device`.
    let choice: String?
    let output: String

    /// A Boolean value that indicates whether the system's devices have to be listed for it.
    var needsDevices: Bool { output != "null" }
  }

  private var loss = SoundLoss()
  /// The current device; nil until there has been one.
  private(set) var device: AudioDevice?
  private var choice: String?
  private var lastSearch: Search?
  private var isLowered = false

  /// mpv has another output, or none for now.
  ///
  /// - Parameter isSilenceWanted: whether the user asked for the output `null`.
  mutating func outputChanged(to output: String?, isSilenceWanted: Bool) -> SoundLoss.Action? {
    loss.outputChanged(to: output, isSilenceWanted: isSilenceWanted)
  }

  /// Takes the current devices, while the sound is lost.
  mutating func devicesRead(_ devices: Set<String>) -> SoundLoss.Action? {
    loss.devicesRead(devices)
  }

  /// - Returns: false if the sound is lowered already, or isn't.
  mutating func lower(_ isLowered: Bool) -> Bool {
    defer { self.isLowered = isLowered }
    return isLowered != self.isLowered
  }

  /// Takes a change of `audio-device`.
  mutating func chose(_ name: String?) { choice = name }

  /// Returns the next search for the device; nil if nothing has changed since the last one, or while the sound is lost,
  /// when no device plays it. Listing the devices takes another core some milliseconds.
  mutating func nextSearch(output: String?) -> Search? {
    guard let output, !loss.isLost else { return nil }
    let search = Search(choice: choice, output: output)
    guard search != lastSearch else { return nil }
    lastSearch = search
    return search
  }

  /// Takes the result of a search.
  ///
  /// - Returns: whether it is another device than before.
  mutating func found(_ device: AudioDevice) -> Bool {
    guard device != self.device else { return false }
    self.device = device
    return true
  }
}
