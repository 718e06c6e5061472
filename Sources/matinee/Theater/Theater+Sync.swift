import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// What is known about being in step: told to the others, shown, and logged.
extension Theater {
  /// Takes what a look at the player found.
  ///
  /// - Parameters:
  ///   - error: how far it was ahead of the group, in media time.
  ///   - position: the measurement that says so.
  ///   - clockUncertainty: how far off the group's time may be here.
  ///   - nudge: by what the speed was multiplied beside the rate.
  func noteSync(
    _ error: Duration, of position: PlayerPosition, clockUncertainty: Duration, nudge: Double
  ) async {
    // Both are bounds on an instant; at twice the speed they are twice as much of the film.
    let uncertainty = (position.uncertainty + clockUncertainty) * max(position.rate, 1)
    let measurement = SyncMeasurement(error: error, uncertainty: uncertainty)
    sync = measurement
    // What is perceived later was measured now.
    let now = HostTime.now()
    record(
      SyncRecord(
        hostTime: now, itemTime: position.itemTime(atHostTime: now), measurement: measurement,
        nudge: nudge))
    await coordinator.reportSync(measurement)
  }

  /// There is nothing to measure any more.
  func forgetSync() async {
    guard sync != nil else { return }
    sync = nil
    await coordinator.reportSync(nil)
  }

  func noteSync(_ event: SyncRecord.Event) {
    record(SyncRecord(hostTime: .now(), event: event))
  }

  private func record(_ record: SyncRecord) {
    var record = record
    if let reading = party?.clock.reading {
      record.groupTime = reading.groupTime(at: record.hostTime)
      record.roundTrip = reading.roundTrip
      record.clockUncertainty = reading.uncertainty
    }
    syncHistory.append(record)
    let events = eventContinuation
    syncLog?.append(record) { events.yield(.warning("\($0). Logging has stopped.")) }
  }
}
