import Concurrency
import GroupActivities
import MPVPlayer
import Screening

/// The latency offset, for late speakers and screens: this player runs ahead of the group by its output's latency.
@ScreeningActor
final class LatencyMemory {
  /// The time without a further change after which the player follows and the file is written. Repeats of a held key
  /// thus count as one change.
  private static let settlingTime = Duration.milliseconds(250)

  private let player: MPVPlayer
  private let runner: LoopRunner
  private let events: EventBroadcast<ScreeningEvent>
  /// The file that remembers the offsets; nil if they aren't remembered.
  private let file: LatencyOffsetFile?
  private var offsets: LatencyOffsets
  /// A Boolean value that indicates whether the current offset has yet to be remembered.
  private var isNew = false
  private var settling: Task<Void, Never>?

  /// - Parameters:
  ///   - offset: the offset on the command line, if there is one.
  ///   - file: remembers the offsets of sound devices; nil for none.
  init(
    offset: LatencyOffset?, file: LatencyOffsetFile?, player: MPVPlayer, runner: LoopRunner,
    events: EventBroadcast<ScreeningEvent>
  ) {
    offsets = LatencyOffsets(offset: offset)
    self.file = file
    self.player = player
    self.runner = runner
    self.events = events
  }

  var offset: LatencyOffset { offsets.offset }

  func begin() async { await player.setOutputLatency(offset.duration) }

  /// Remembers the last offset at the end of the run, if it hasn't been written yet.
  func close() {
    settling?.cancel()
    remember()
  }

  func set(_ offset: LatencyOffset) async {
    if offsets.set(offset) { isNew = true }
    await apply()
    settling?.cancel()
    settling = Task { [weak self] in
      do { try await Task.sleep(for: Self.settlingTime, clock: .suspending) } catch { return }
      self?.settle()
    }
  }

  /// Changes the offset by this number of steps.
  func change(by steps: Int) async {
    await set(LatencyOffset(clamping: offset.duration + LatencyOffset.step * steps))
  }

  /// Handles a change of the sound device: the new device's own offset applies, unless the user chose another.
  func deviceChanged(to device: AudioDevice) async {
    remember()
    let before = offset
    var remembered: LatencyOffset?
    do {
      remembered = try file?.offset(for: device)
    } catch {
      events.send(.warning("\(error)"))
    }
    isNew = offsets.deviceChanged(to: device, remembered: remembered)
    remember()
    guard offset != before else { return }
    await apply()
    runner.send(.playback(.latencyChanged(isSettled: true)))
  }

  private func apply() async {
    let offset = offset
    await player.setOutputLatency(offset.duration)
    runner.send(.playback(.latencyChanged(isSettled: false)))
    // The device has no name if mpv doesn't report which of several devices it uses.
    let name = offsets.device.map { PartyText.clean($0.name ?? $0.key, limit: 60) }
    events.send(.latencyOffset(offset.duration, device: name))
  }

  private func settle() {
    guard !Task.isCancelled else { return }
    remember()
    runner.send(.playback(.latencyChanged(isSettled: true)))
  }

  private func remember() {
    guard isNew, let device = offsets.device else { return }
    isNew = false
    do {
      try file?.remember(offset, for: device)
    } catch {
      events.send(.warning("\(error)"))
    }
  }
}
