import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// Late speakers and screens: this player runs ahead of the group by its output's latency.
extension Theater {
  /// A key that is held down is one change: the player follows, and the file is written, when it is let go of.
  private static let settlingTime = Duration.milliseconds(250)

  func setLatencyOffset(_ offset: LatencyOffset) async {
    if latencyOffsets.set(offset) { isLatencyOffsetNew = true }
    noteSync(.latencyOffset)
    await player.setOutputLatency(offset.duration)
    // What was measured with another offset would be taken for drift.
    await forgetDrift()
    emit(.latencyOffset(offset, device: latencyDeviceName))
    settlingLatency?.cancel()
    settlingLatency = Task { [weak self] in
      do { try await Task.sleep(for: Self.settlingTime, clock: .suspending) } catch { return }
      await self?.settleLatencyOffset()
    }
  }

  func changeLatencyOffset(by change: Duration) async {
    await setLatencyOffset(LatencyOffset(clamping: latencyOffsets.offset.duration + change))
  }

  /// The sound comes from another device: its own offset holds, if the person didn't say another.
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
    emit(.latencyOffset(latencyOffsets.offset, device: latencyDeviceName))
    await followLatencyOffset()
  }

  /// At the end of the run: what was set last may not have been written yet.
  func closeLatencyOffset() {
    settlingLatency?.cancel()
    rememberLatencyOffset()
  }

  private func settleLatencyOffset() async {
    guard !Task.isCancelled else { return }
    rememberLatencyOffset()
    await followLatencyOffset()
  }

  /// Nothing moves a player that stands: the frame that it shows is the right one.
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

  /// Nil where mpv doesn't say which of several it is.
  private var latencyDeviceName: String? {
    latencyOffsets.device.map { PartyText.clean($0.name ?? $0.key, limit: 60) }
  }
}
