import Timekeeping

/// Commands of `keys.conf` whose effect depends on the state of playback.
extension InputMachine {
  func performPlayback(_ command: Command, _ transport: TransportModel) -> [Effect] {
    switch command {
    case .setPaused(let isPaused):
      return isPaused == transport.isPaused ? [] : [.intent(.playPause)]
    case .addRate(let step):
      // mpv's limits.
      return [.intent(.setRate(min(max(0.01, transport.rate + step), 100)))]
    case .cycleRates(let rates):
      // As in mpv, a speed that isn't among them is followed by the first.
      let index = rates.firstIndex { abs($0 - transport.rate) < 0.005 }
      return [.intent(.setRate(rates[index.map { ($0 + 1) % rates.count } ?? 0]))]
    case .seekPercent(let percent, let isRelative):
      guard let duration = transport.duration else { return [] }
      let part = duration.seconds * percent / 100
      let target = min(
        max(0, (isRelative ? transport.itemTime.seconds : 0) + part), duration.seconds)
      return [.intent(.seek(to: MediaTime(seconds: target)))]
    default: return []
    }
  }
}

extension TransportModel {
  /// A Boolean value that indicates whether playback isn't requested.
  fileprivate var isPaused: Bool {
    switch status {
    case .empty, .paused, .ended, .failed: true
    case .opening, .playing, .waiting, .buffering, .seeking, .suspended: false
    }
  }
}
