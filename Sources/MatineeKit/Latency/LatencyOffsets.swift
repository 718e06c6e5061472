import MPVPlayer

/// Decides which latency offset applies: the one of the sound device, unless the user chose another.
struct LatencyOffsets: Hashable, Sendable {
  package private(set) var offset: LatencyOffset
  private(set) var device: AudioDevice?
  /// The offset from the command line, or from before there was a device. It applies to any device during this run.
  private var forced: LatencyOffset?
  /// A Boolean value that indicates whether ``forced`` has not been remembered for a device yet.
  private var isForcedNew: Bool

  /// - Parameter offset: the offset on the command line, if there is one.
  init(offset: LatencyOffset?) {
    self.offset = offset ?? .zero
    forced = offset
    isForcedNew = offset != nil
  }

  /// Notes that the sound now comes from this device.
  ///
  /// - Parameter remembered: the offset that is remembered for the device; nil for none.
  /// - Returns: a Boolean value that indicates whether ``offset`` is to be remembered for the device.
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

  /// Sets the user's choice, for the current device if there is one.
  ///
  /// - Returns: a Boolean value that indicates whether the choice is to be remembered for the device.
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
