import MatineeKit
import PlaybackCoordination
import TerminalUI

/// The conversion of the program's history to the sync page.
extension SyncModel {
  init(_ history: SyncHistory, _ status: ProgramStatus) {
    self.init(
      samples: history.records.map { Sample($0) },
      others: status.participants.filter { $0.id != status.me?.id }.map { participant in
        let other = status.coordinator.otherParticipants.first { $0.id == participant.id }
        return Other(
          name: TerminalText(participant.name), error: other?.syncError,
          uncertainty: other?.syncUncertainty)
      },
      clock: status.clock.map { $0.isReference ? .own : .measured } ?? .alone,
      latencyOffset: status.latencyOffset.duration)
  }
}

extension SyncModel.Sample {
  fileprivate init(_ record: SyncRecord) {
    self.init(
      time: record.hostTime, error: record.measurement?.error,
      uncertainty: record.measurement?.uncertainty,
      // An event has no measured nudge.
      nudge: record.measurement.map { _ in record.nudge }, roundTrip: record.roundTrip,
      clockUncertainty: record.clockUncertainty, isEvent: record.event != nil)
  }
}
