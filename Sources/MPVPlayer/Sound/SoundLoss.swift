/// The loss of the film's sound, and the time to request it again.
///
/// Without a device mpv plays silently (`audio-fallback-to-null`), on the system's clock, and remains in that state: it
/// doesn't look for another device.
struct SoundLoss: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case reportLost
    case reportFound
    case reload
  }

  private(set) var isLost = false
  /// The devices that were present but gave no sound; nil until they are read.
  private var useless: Set<String>?

  /// mpv has another output, or none for now.
  ///
  /// - Parameter isSilenceWanted: whether the user asked for the output `null`.
  mutating func outputChanged(to output: String?, isSilenceWanted: Bool) -> Action? {
    switch output {
    case nil: return nil  // mpv changes to another one, or the film has no sound.
    case "null":
      guard !isSilenceWanted, !isLost else { return nil }
      isLost = true
      useless = nil
      return .reportLost
    case .some:
      isLost = false
      return .reportFound
    }
  }

  /// Takes the current devices (`audio-device-list`), while the sound is lost.
  mutating func devicesRead(_ devices: Set<String>) -> Action? {
    guard isLost else { return nil }
    defer { useless = devices }
    // A device that disappeared and came back counts as new, too.
    guard let useless, !devices.subtracting(useless).isEmpty else { return nil }
    return .reload
  }
}
