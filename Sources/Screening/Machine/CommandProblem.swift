import WatchTogether

/// A command without an effect at the moment.
package enum NothingToDo: Error, Hashable, CustomStringConvertible {
  case noPreview, noQuestion, lengthUnknown, noLibrary
  case rateTooLow(Double)

  package var description: String {
    switch self {
    case .noPreview: "There is no preview to end. Begin one, as in: scrub 754.5"
    case .noQuestion:
      "There is no question to answer. allow and deny answer the question about a video's server."
    case .lengthUnknown: "Length unknown. Seek to a time, as in: seek 12:34"
    case .rateTooLow(let rate):
      "The speed would be \(StoryWords.rate(rate)). rate needs a speed, 0.01 to 100, as in: rate 1.25"
    case .noLibrary: "Nothing is remembered, because the library couldn't be opened."
    }
  }
}

/// A command that requires a party.
struct PartyOnly: Error, Hashable, CustomStringConvertible {
  /// The command's name in ``UserCommandTable``.
  var name: String

  var description: String {
    switch name {
    case "what-happened": "Catching up works in a party only. Press left to go back."
    case "suspend": "Stepping away works in a party only."
    case "toggle-ready", "ready-check": "The ready check works in a party only."
    default: "“\(name)” works in a party only. To open one, type: host"
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
      "You aren't with the others. Rejoin them first, then choose the film for everyone."
    }
  }
}
