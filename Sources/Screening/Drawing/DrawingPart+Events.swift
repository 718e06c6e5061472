import DrawTogether
import GroupActivities

extension DrawingPart {
  /// The effect of the user's command to draw.
  package enum Beginning: Hashable, Sendable {
    /// The participant is in the drawing: report it.
    case report
    /// Request the party's sessions again.
    case followAgain
    /// Start a drawing; a failure is ``Event/startFailed(_:)``.
    case start(Number, DrawTogether)
  }

  package enum Event: Hashable, Sendable {
    /// The answer to ``Beginning/start(_:_:)`` if it failed.
    case startFailed(Number)
    /// The party has this session.
    case arrived(Session)
    /// The answer to ``Directive/enter(_:_:)``.
    ///
    /// - Parameter on: the film that the party watches with this participant; nil for none.
    case entered(Number, on: String?)
    /// The drawing in a session changed.
    ///
    /// - Parameter names: the names of the party's participants.
    case drew(GroupSessionID, Drawing, names: [Participant.ID: String])
    /// A session ended.
    ///
    /// - Parameter isReplaced: true if another one follows it.
    case ended(GroupSessionID, isReplaced: Bool)
    /// A participant ended the party's drawing.
    case over
    /// The user left the drawing.
    case left
    case leftParty
  }

  package enum Directive: Hashable, Sendable {
    /// Join a session.
    case enter(Number, GroupSessionID)
    /// Draw this participant's strokes of another session again, then these lines.
    case draw(in: GroupSessionID, strokesOf: GroupSessionID?, lines: [[PicturePoint]])
    /// Report a drawing that another participant began.
    case announce(by: Participant.ID, isReset: Bool)
    /// Follow the changes of a session's drawing.
    case follow(GroupSessionID)
    /// Leave a session, which isn't needed after that.
    case leave(GroupSessionID)
    /// Forget a session that is over.
    case release(GroupSessionID)
    /// Report the drawing.
    case report
  }
}
