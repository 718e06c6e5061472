import Timekeeping
import WatchTogether

/// A participant's copy of the group's playlist, in a session whose activity holds one list at a time: of two lists that
/// are set at once the session keeps the newer, and this value restores the edits of the other.
///
/// A participant whose own edits are missing from the session's list sets the merged list at once. The edits of others
/// are left to their authors for ``patience``, since all participants would restore them together.
///
/// A participant who may not edit the list can restore nothing. An edit that nobody restores within
/// ``readersPatience`` came after the permission for it, and that participant gives it up.
package struct SharedPlaylist: Hashable, Sendable {
  /// The merged list.
  package private(set) var playlist: Playlist
  /// The list that this participant set last; nil before it set one.
  private var published: Playlist?
  /// The list in the session.
  private var session: Playlist
  /// The time at which this participant restores what is missing from the session's list, or gives it up.
  package private(set) var deadline: HostTime?

  /// The time for which a participant waits for an author to restore an edit.
  package static let patience = Duration.seconds(2)
  /// The time for which a participant who may not edit the list waits for the others to restore an edit. They begin
  /// after ``patience``, and their list has to arrive.
  package static let readersPatience = Duration.seconds(4)
  /// The time by which an edit may be ahead of the group's clock. A list with an edit of the future is ignored:
  /// no participant could change it until then.
  package static let tolerance = Duration.seconds(10)

  package enum Action: Hashable, Sendable {
    case none
    /// Set the session's list to this one.
    case set(Playlist)
    /// The edits that were missing from the session's list are given up; this is the session's list.
    case giveUp(Playlist)
    /// The list is another participant's with an edit of the future, and was ignored.
    case refuse
  }

  /// - Parameter playlist: the session's list.
  package init(_ playlist: Playlist) {
    self.playlist = playlist
    session = playlist
  }

  /// This participant edits the list, and sets the session's list to ``playlist``.
  package mutating func edited(_ changed: Playlist) {
    playlist.merge(changed)
    published = playlist
    deadline = nil
  }

  /// The session's list couldn't be set.
  ///
  /// - Parameter before: the value before the edit.
  package mutating func editFailed(since before: SharedPlaylist) {
    playlist = before.playlist.merged(with: session)
    published = before.published
  }

  /// A participant set the session's list.
  ///
  /// - Parameters:
  ///   - groupTime: the group's time; nil while it isn't known.
  ///   - mayEdit: true if this participant may set the session's list.
  package mutating func sessionChanged(
    to list: Playlist, groupTime: GroupTime?, mayEdit: Bool, now: HostTime
  ) -> Action {
    if let groupTime, list.lastEdit > groupTime + Self.tolerance,
      list.lastEdit > playlist.lastEdit
    {
      return .refuse
    }
    session = list
    playlist.merge(list)
    if !mayEdit, let published, list.merged(with: published) != list {
      // The permission ended before an edit got through, and nothing can restore it.
      (playlist, self.published) = (list, nil)
    }
    guard playlist != list else {
      deadline = nil
      return .none
    }
    if mayEdit, let published, list.merged(with: published) != list { return restore() }
    deadline = deadline ?? now + (mayEdit ? Self.patience : Self.readersPatience)
    return .none
  }

  /// The deadline has passed.
  package mutating func deadlinePassed(mayEdit: Bool, now: HostTime) -> Action {
    guard let deadline, now >= deadline else { return .none }
    self.deadline = nil
    guard playlist != session else { return .none }
    if mayEdit { return restore() }
    (playlist, published) = (session, nil)
    return .giveUp(session)
  }

  private mutating func restore() -> Action {
    edited(playlist)
    return .set(playlist)
  }
}

/// An edit of the party's playlist.
package struct ListEdit: Hashable, Sendable {
  /// The activity with the list after the edit.
  package var activity: FilmActivity
  /// The list before the edit, which holds again if the session's list can't be set.
  var before: SharedPlaylist
  /// A Boolean value that indicates whether the edit also lets the next film play.
  var plays: Bool

  package var playlist: Playlist { activity.playlist }
}
