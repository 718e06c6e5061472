import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// Parts that aren't the item's content: in the item itself, or played by a second player.
extension PlayerEngine {
  /// The time before a beginning at which it is scheduled: longer than from one look to the next.
  private static let foresight = Duration.milliseconds(600)

  /// Ends a range of the item that is over, and schedules the next beginning of a range or an event.
  func followInterstitials() async {
    let (here, events) = shown.withLock { shown in
      (shown.position.map { ($0.itemTime, $0.hostTime, $0.rate) }, shown.interstitialEvents)
    }
    guard let (itemTime, hostTime, rate) = here else { return }
    let isInRange = ranges.range(at: itemTime) != nil
    if cue == nil, separations.contains(.interstitial), !isInRange { await rejoin(.interstitial) }
    guard cue == nil, rate > 0, !separations.contains(.interstitial) else { return }
    if isInRange { return await separate(.interstitial, for: .playingInterstitial) }
    let event = events.filter { $0.time > itemTime }.min { $0.time < $1.time }
    let range = ranges.ranges.first { $0.lowerBound > itemTime }
    guard let next = [event?.time, range?.lowerBound].compactMap(\.self).min() else { return }
    let wait = (next - itemTime) / rate
    guard wait <= Self.foresight else { return }
    let task = Task {
      defer { setCue(nil) }
      do {
        try await Task.sleep(for: max(.zero, hostTime + wait - .now()))
      } catch {
        return
      }
      // A seek or a pause may have come meanwhile.
      guard let now = shown.withLock({ $0.itemTime(at: .now()) }),
        (now - next).magnitude < Self.foresight, shown.withLock({ $0.status }) == .playing
      else { return }
      if let event, event.time == next {
        await play(event)
      } else {
        await separate(.interstitial, for: .playingInterstitial)
      }
    }
    setCue(task)
  }

  /// Plays an event in a second player. The group continues, unless it waits for such suspensions.
  private func play(_ event: InterstitialEvent) async {
    await separate(.interstitial, for: .playingInterstitial)
    await carryOut(.pause)
    emitter.yield(.interstitialEventChanged(event))
    var configuration = player.configuration
    // The first player keeps its sockets and files.
    configuration.isSecondary = true
    if let second = try? CoordinatedPlayer(configuration) {
      shown.withLock { $0.second = second }
      for item in event.templateItems where !Task.isCancelled {
        second.replaceCurrentItem(with: item)
        second.play()
        await second.finishItem()
      }
      shown.withLock { $0.second = nil }
      await second.shutDown()
    }
    guard !Task.isCancelled else { return }
    emitter.yield(.interstitialEventChanged(nil))
    let isAlone = await !coordinator.isInGroup
    await rejoin(.interstitial)
    // Without a group there is no line to return to.
    if isAlone { await carryOut(.play(rate: nil, immediately: false)) }
  }
}

extension CoordinatedPlayer {
  /// Waits until the current item is over, or can't be played.
  fileprivate func finishItem() async {
    for await event in events {
      switch event {
      case .didPlayToEndTime, .failedToPlay, .shutDown: return
      case .timeControlStatusChanged, .rateDidChange, .timeJumped, .itemDidBecomeReady,
        .commandRefused, .interstitialEventChanged, .coordinator:
        break
      }
    }
  }
}
