import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// The latency offset, for late speakers and screens: this player runs ahead of the group by its output's latency.
extension Theater {
  /// The time without a further change after which the player follows and the file is written. Repeats of a held key
  /// thus count as one change.
  private static let settlingTime = Duration.milliseconds(250)

  func setLatencyOffset(_ offset: LatencyOffset) async {
    if latencyOffsets.set(offset) { isLatencyOffsetNew = true }
    noteSync(.latencyOffset)
    await player.setOutputLatency(offset.duration)
    // A measurement with another offset would be taken for drift.
    await forgetDrift()
    emit(.latencyOffset(offset.duration, device: latencyDeviceName))
    settlingLatency?.cancel()
    settlingLatency = Task { [weak self] in
      do { try await Task.sleep(for: Self.settlingTime, clock: .suspending) } catch { return }
      await self?.settleLatencyOffset()
    }
  }

  func changeLatencyOffset(by change: Duration) async {
    await setLatencyOffset(LatencyOffset(clamping: latencyOffsets.offset.duration + change))
  }

  /// Handles a change of the sound device: the new device's own offset applies, unless the user chose another.
  func audioDeviceChanged(to device: AudioDevice) async {
    rememberLatencyOffset()
    let before = latencyOffsets.offset
    var remembered: LatencyOffset?
    do {
      remembered = try latencyFile?.offset(for: device)
    } catch {
      emit(.warning("\(error)"))
    }
    isLatencyOffsetNew = latencyOffsets.deviceChanged(to: device, remembered: remembered)
    rememberLatencyOffset()
    guard latencyOffsets.offset != before else { return }
    noteSync(.latencyOffset)
    await player.setOutputLatency(latencyOffsets.offset.duration)
    await forgetDrift()
    emit(.latencyOffset(latencyOffsets.offset.duration, device: latencyDeviceName))
    await followLatencyOffset()
  }

  /// Remembers the last offset at the end of the run, if it hasn't been written yet.
  func closeLatencyOffset() {
    settlingLatency?.cancel()
    rememberLatencyOffset()
  }

  private func settleLatencyOffset() async {
    guard !Task.isCancelled else { return }
    rememberLatencyOffset()
    await followLatencyOffset()
  }

  /// Moves a playing player to its new offset. A paused player already shows the right frame.
  private func followLatencyOffset() async {
    guard case .playing = await coordinator.snapshot().status else { return }
    await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
  }

  private func rememberLatencyOffset() {
    guard isLatencyOffsetNew, let device = latencyOffsets.device else { return }
    isLatencyOffsetNew = false
    do {
      try latencyFile?.remember(latencyOffsets.offset, for: device)
    } catch {
      emit(.warning("\(error)"))
    }
  }

  /// The device's name; nil if mpv doesn't report which of several devices it uses.
  private var latencyDeviceName: String? {
    latencyOffsets.device.map { PartyText.clean($0.name ?? $0.key, limit: 60) }
  }
}
