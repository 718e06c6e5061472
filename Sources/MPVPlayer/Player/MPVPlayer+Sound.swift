/// The sound device: its loss, its return and its name.
extension MPVPlayer {
  /// The interval between two checks for a device while there is none. A check takes some milliseconds, though none of
  /// this player's core.
  private static let lookInterval = Duration.seconds(3)

  func audioOutputChanged(_ output: String?) {
    guard state.audioOutputChanged(output) else { return }
    if let output { delays.outputChanged(to: output) }
    guard output == "null" else {
      perform(sound.outputChanged(to: output, isSilenceWanted: false))
      return lookForAudioDevice()
    }
    request({ $0.getProperty("options/ao", id: $1) }) { player, reply in
      let wanted = (reply.value.array ?? []).compactMap { $0["name"]?.string }
      player.perform(
        player.sound.outputChanged(to: output, isSilenceWanted: wanted.contains("null")))
      player.lookForAudioDevice()
    }
  }

  private func perform(_ action: SoundLoss.Action?) {
    switch action {
    case nil: break
    case .reportLost:
      emitter.yield(.audioDeviceLost)
      lookForDevices()
    case .reportFound:
      tasks.cancel(.soundSearch)
      emitter.yield(.audioDeviceFound(name: state.audioOutput ?? ""))
    case .reload:
      request({ $0.command(.array([.string(MPVCommand.aoReload)]), id: $1) }) { _, _ in }
    }
  }

  /// Checks for devices until there is sound. The first check finds the devices that have failed.
  private func lookForDevices() {
    tasks.replace(.soundSearch) { _ in
      Task { [weak self] in
        while !Task.isCancelled {
          let devices = await SoundDevices.devices()
          guard let self else { return }
          await self.found(Set((devices ?? [:]).keys))
          do { try await Task.sleep(for: Self.lookInterval, clock: .suspending) } catch { return }
        }
      }
    }
  }

  private func found(_ devices: Set<String>) {
    guard !Task.isCancelled else { return }
    perform(sound.devicesRead(devices))
  }

  /// Finds out the current audio device, and reports it if it has changed.
  func lookForAudioDevice() {
    guard let search = sound.nextSearch(output: state.audioOutput) else { return }
    tasks.cancel(.deviceSearch)
    guard search.needsDevices else {
      return found(AudioDevice(choice: search.choice, output: search.output, devices: [:]))
    }
    tasks.replace(.deviceSearch) { _ in
      Task { [weak self] in
        let devices = await SoundDevices.devices() ?? [:]
        guard !Task.isCancelled else { return }
        await self?.found(
          AudioDevice(choice: search.choice, output: search.output, devices: devices))
      }
    }
  }

  private func found(_ device: AudioDevice) {
    if sound.found(device) { emitter.yield(.audioDeviceChanged(device)) }
  }
}
