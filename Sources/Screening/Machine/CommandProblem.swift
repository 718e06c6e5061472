import WatchTogether

/// A command without an effect at the moment.
package enum NothingToDo: Error, Hashable, CustomStringConvertible {
  case noPreview, noQuestion, lengthUnknown, noLibrary, nothingMissing, noOtherCopy, noRemarks
  case noInvitation
  case isInvited(by: String)
  case rateTooLow(Double)

  package var description: String {
    switch self {
    case .noOtherCopy:
      "You watch the party's own copy. To watch another one, type: same-film FILE"
    case .isInvited(let name): "\(name) has opened a party for this room. To take part: /join"
    case .noInvitation: "join needs an invite, as in: join matinee://HOST:PORT/PARTY#SECRET"
    case .noRemarks: "No one has said anything about this film yet."
    case .noPreview: "There is no preview to end. Begin one, as in: preview 754.5"
    case .noQuestion: "No question is open."
    case .lengthUnknown: "Length unknown. Seek to a time, as in: seek 12:34"
    case .rateTooLow(let rate):
      "The speed would be \(StoryWords.rate(rate)). rate needs a speed, 0.01 to 100, as in: rate 1.25"
    case .nothingMissing: "Your copy of the party's film is open, or the party has no film."
    case .noLibrary: "Nothing is remembered, because the library couldn't be opened."
    }
  }
}

/// A command about the playlist that can't be carried out.
package enum PlaylistProblem: Error, Hashable, CustomStringConvertible {
  case empty, full, noSuchEntry, noNext, noPrevious, apart

  package var description: String {
    switch self {
    case .empty: "No film is open. Open one first."
    case .full: "The playlist is full (\(Playlist.entryLimit) films). Remove some first."
    case .noSuchEntry: "No such entry in the playlist, or it is playing now"
    case .noNext: "This is the last film in the playlist"
    case .noPrevious: "This is the first film in the playlist"
    case .apart:
      "You aren't with everyone. Rejoin first, then choose the film for everyone."
    }
  }
}

/// The reason why one of mpv's own commands can't be carried out now.
package struct PlayerCommandProblem: Error, Hashable, CustomStringConvertible {
  package var description: String

  package init(description: String) { self.description = description }
}

package enum WindowProblem: Error, Hashable, CustomStringConvertible {
  case noWindow

  package var description: String {
    "Picture-in-picture needs mpv's window. Press V to move the picture there (needs a display)."
  }
}
