/// Whether the film's sound can be heard, and when it is worth asking for it again.
///
/// Without a device mpv plays into nothing (`audio-fallback-to-null`), on the system's clock, and stays with
/// that: it doesn't look for another one.
struct SoundLoss: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case tellLost
    case tellFound
    case reload
  }

  private(set) var isLost = false
  /// The devices that were there without giving any sound; nil until they are read.
  private var useless: Set<String>?

  /// mpv has another output, or none for now.
  ///
  /// - Parameter isSilenceWanted: `null` is the output that the user asked for.
  mutating func outputChanged(to output: String?, isSilenceWanted: Bool) -> Action? {
    switch output {
    case nil: return nil  // On its way to another one, or a film without sound.
    case "null":
      guard !isSilenceWanted, !isLost else { return nil }
      isLost = true
      useless = nil
      return .tellLost
    case .some:
      isLost = false
      return .tellFound
    }
  }

  /// The devices that there are now (`audio-device-list`), while the sound is lost.
  mutating func devicesRead(_ devices: Set<String>) -> Action? {
    guard isLost else { return nil }
    defer { useless = devices }
    // One that is there again after it had gone is a new one too.
    guard let useless, !devices.subtracting(useless).isEmpty else { return nil }
    return .reload
  }
}
