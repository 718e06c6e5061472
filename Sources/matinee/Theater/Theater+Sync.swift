import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// Measurements of synchronization: reported to the other participants, shown, and logged.
extension Theater {
  /// Records a measurement of the player.
  ///
  /// - Parameters:
  ///   - error: the player's lead over the group, in media time.
  ///   - position: the measured position.
  ///   - clockUncertainty: the maximum error of the group's time here.
  ///   - nudge: the factor of the speed beside the rate.
  func noteSync(
    _ error: Duration, of position: PlayerPosition, clockUncertainty: Duration, nudge: Double
  ) async {
    // Both are bounds on an instant. At twice the speed they cover twice as much of the film.
    let uncertainty = (position.uncertainty + clockUncertainty) * max(position.rate, 1)
    let measurement = SyncMeasurement(error: error, uncertainty: uncertainty)
    sync = measurement
    // The position holds for the later moment at which it is perceived; it was measured now.
    let now = HostTime.now()
    record(
      SyncRecord(
        hostTime: now, itemTime: position.itemTime(atHostTime: now), measurement: measurement,
        nudge: nudge))
    await coordinator.reportSync(measurement)
  }

  /// Ends the measurements, because nothing can be measured any more.
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
    let events = events
    syncLog?.append(record) { events.send(.warning("\($0). Logging has stopped.")) }
  }
}
