import MPVPlayer

/// Decides which latency offset holds: the one of the sound device, unless the person said another.
struct LatencyOffsets: Hashable, Sendable {
  private(set) var offset: LatencyOffset
  private(set) var device: AudioDevice?
  /// Set on the command line, or before there was a device: holds whatever the device, for this run.
  private var forced: LatencyOffset?
  /// ``forced`` is yet to be remembered for the device.
  private var isForcedNew: Bool

  /// - Parameter offset: of the command line, if it has one.
  init(offset: LatencyOffset?) {
    self.offset = offset ?? .zero
    forced = offset
    isForcedNew = offset != nil
  }

  /// The sound comes from this device now.
  ///
  /// - Parameter remembered: what was remembered for it; nil for nothing.
  /// - Returns: whether ``offset`` is to be remembered for it.
  mutating func deviceChanged(to device: AudioDevice, remembered: LatencyOffset?) -> Bool {
    self.device = device
    if let forced {
      offset = forced
      defer { isForcedNew = false }
      return isForcedNew
    }
    offset = remembered ?? .zero
    return false
  }

  /// The person's word, for the device of now if there is one.
  ///
  /// - Returns: whether it is to be remembered for it.
  mutating func set(_ offset: LatencyOffset) -> Bool {
    self.offset = offset
    guard device == nil else {
      forced = nil
      return true
    }
    forced = offset
    isForcedNew = true
    return false
  }
}
