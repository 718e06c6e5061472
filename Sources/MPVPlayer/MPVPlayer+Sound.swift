import Timekeeping

extension MPVPlayer {
  /// The interval between two checks for a device while there is none. A check takes some milliseconds, though none of
  /// this player's core.
  private static let lookInterval = Duration.seconds(3)

  func audioOutputChanged(_ output: String?) {
    let before = state.audioOutput
    state.audioOutput = output
    guard output != before else { return }
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
    case .tellLost:
      emitter.yield(.audioDeviceLost)
      lookForDevices()
    case .tellFound:
      lookingForSound?.cancel()
      lookingForSound = nil
      emitter.yield(.audioDeviceFound(name: state.audioOutput ?? ""))
    case .reload:
      request({ $0.command(.array([.string(MPVCommand.aoReload)]), id: $1) }) { _, _ in }
    }
  }

  /// Checks for devices until there is sound. The first check finds the devices that have failed.
  private func lookForDevices() {
    lookingForSound?.cancel()
    lookingForSound = Task { [weak self] in
      while !Task.isCancelled {
        let devices = await SoundDevices.devices()
        guard let self else { return }
        await self.found(Set((devices ?? [:]).keys))
        do { try await Task.sleep(for: Self.lookInterval, clock: .suspending) } catch { return }
      }
    }
  }

  private func found(_ devices: Set<String>) {
    guard !Task.isCancelled else { return }
    perform(sound.devicesRead(devices))
  }
}
