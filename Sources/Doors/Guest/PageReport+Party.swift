import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping

extension PageReport.Person {
  /// - Parameters:
  ///   - state: the participant's coordinator; nil for this participant, and for one that takes part in no session.
  ///   - reasons: this participant's own reasons for being apart.
  init(
    _ participant: Participant, _ state: CoordinatedPlaybackParticipant?, me: Participant.ID,
    reasons: [CoordinatedPlaybackSuspension.Reason], names: [Participant.ID: String]
  ) {
    let isMe = participant.id == me
    let reason = isMe ? reasons.last : state?.suspensionReasons.last
    var marks: [String] = []
    if let door = participant.door { marks.append(door.words { names[$0] }) }
    if state?.hasOtherCopy == true { marks.append("another copy") }
    if !isMe, let state, state.currentItemIdentifier == nil { marks.append("no film") }
    self.init(
      id: "\(participant.id)", name: participant.name,
      role: participant.role == .host ? "host" : participant.role == .coHost ? "cohost" : "guest",
      marks: marks, isMe: isMe, waits: reason.map(StoryWords.words),
      sync: state?.syncError.map { String(format: "%+.0f ms", $0.inMilliseconds) },
      isReady: state?.isReadyToPlay ?? true)
  }
}
