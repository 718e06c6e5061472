import Foundation

/// An event on a lane (``GroupSessionLane``).
public enum LaneEvent: Hashable, Sendable {
  /// A message of another participant in the session, signed by it. Its contents are as the sender made them: they may
  /// be malformed, or lie.
  case received(Data, from: Participant.ID)
  /// The session's participants or the state of the link changed. Events of this kind that a slow reader missed are
  /// replaced by the newest.
  case changed(LaneConditions)
}

/// The conditions of a lane's session at a moment.
public struct LaneConditions: Hashable, Sendable {
  /// The participants that have joined the session, longest in the party first. This participant is among them once it
  /// has joined.
  public var participants: [Participant.ID]
  /// A Boolean value that indicates whether the link to the broker is up. Messages that are sent meanwhile get lost.
  public var isConnected: Bool
}
