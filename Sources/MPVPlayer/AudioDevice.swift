/// What the sound comes from, as far as mpv knows: what belongs to a speaker can be remembered by it.
public struct AudioDevice: Hashable, Sendable {
  /// Tells it from others, in this run and later ones:
  ///
  /// - a device that was chosen (mpv's `audio-device`, in `mpv.conf`, with `--mpv` or in its window): mpv's name for
  ///   it, like `pulse/bluez_output.AA_BB.1`;
  /// - mpv's choice (`auto`) when its output (`current-ao`) has exactly one device: that one's name, as if it had been
  ///   chosen;
  /// - mpv's choice among several: `auto/` and the output's name, like `auto/pulse`. Which of them the sound server
  ///   takes for its default mpv doesn't say, so all of them share this key; whoever wants to tell them apart chooses
  ///   one.
  public let key: String
  /// For people; nil if mpv has no name for it. Not cleaned of control characters.
  public let name: String?

  public init(key: String, name: String?) {
    self.key = key
    self.name = name
  }

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

extension MPVPlayer {
  /// Finds out what the sound comes from now, and tells if it is another device.
  ///
  /// A look at the devices takes some milliseconds of another core's, so it is had only when mpv's output or choice
  /// is another than at the last one.
  func lookForAudioDevice() {
    // What comes out of nowhere while the sound is lost comes out of no device.
    guard let output = state.audioOutput, !sound.isLost else { return }
    let (choice, looked) = (chosenAudioDevice, lookedForAudioDevice)
    guard looked?.choice != choice || looked?.output != output else { return }
    lookedForAudioDevice = (choice, output)
    lookingForAudioDevice?.cancel()
    guard output != "null" else {
      return found(AudioDevice(choice: choice, output: output, devices: [:]))
    }
    lookingForAudioDevice = Task { [weak self] in
      let devices = await SoundDevices.devices() ?? [:]
      guard !Task.isCancelled else { return }
      await self?.found(AudioDevice(choice: choice, output: output, devices: devices))
    }
  }

  private func found(_ device: AudioDevice) {
    guard device != audioDevice else { return }
    audioDevice = device
    emitter.yield(.audioDeviceChanged(device))
  }
}
