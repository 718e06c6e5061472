/// The source of the sound, as far as mpv knows it. Settings that belong to a speaker can be remembered by it.
package struct AudioDevice: Hashable, Sendable {
  /// Identifies the device, in this run and later ones:
  ///
  /// - A chosen device (mpv's `audio-device`, in `mpv.conf`, with `--mpv` or in its window): mpv's name for it, like
  ///   `pulse/bluez_output.AA_BB.1`.
  /// - mpv's choice (`auto`) when its output (`current-ao`) has exactly one device: that device's name, as if it had
  ///   been chosen.
  /// - mpv's choice among several: `auto/` and the output's name, like `auto/pulse`. mpv doesn't report which of them
  ///   the sound server takes for its default, so all of them share this key. A user who wants to distinguish them
  ///   chooses one.
  package let key: String
  /// The device's name for people; nil if mpv has no name for it. Not cleaned of control characters.
  package let name: String?

  /// Creates a device from a remembered key.
  package init(key: String, name: String?) {
    self.key = key
    self.name = name
  }

  /// Identifies the device from mpv's properties.
  ///
  /// - Parameters:
  ///   - choice: `audio-device`.
  ///   - output: `current-ao`.
  ///   - devices: the descriptions in `audio-device-list`, by name; empty if they aren't known.
  init(choice: String?, output: String, devices: [String: String]) {
    if let choice, !choice.isEmpty, choice != "auto" {
      self.init(key: choice, name: devices[choice])
      return
    }
    // An output's default is listed under the output's own name.
    let own = devices.keys.filter { $0.hasPrefix(output + "/") }
    if own.count == 1, let only = own.first {
      self.init(key: only, name: devices[only])
    } else {
      self.init(key: "auto/" + output, name: nil)
    }
  }
}
