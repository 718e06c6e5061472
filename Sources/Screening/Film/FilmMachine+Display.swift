/// The state of the film, for display and for the parts that depend on it.
extension FilmMachine {
  /// A Boolean value that indicates whether this participant keeps its film when the group changes to another one.
  package var keepsFilm: Bool { separations.contains { $0.onFilmChange == .keepsFilm } }

  /// A Boolean value that indicates whether the film isn't on the screen yet.
  package var isOpening: Bool { if case .loading = state { true } else { false } }

  /// A Boolean value that indicates whether a film is on its way to the screen.
  package var isOnItsWay: Bool { search != nil || isOpening }

  /// A Boolean value that indicates whether the film on its way is a stream, which may never open.
  package var isStreamOnItsWay: Bool {
    search != nil ? adopted?.current.location != nil : isOpening && film?.isStream == true
  }

  var isOpen: Bool { if case .open = state { true } else { false } }

  /// A Boolean value that indicates whether the film waits for its server.
  package var isRecovering: Bool {
    switch state {
    case .lost, .reopening: true
    case .closed, .missing, .describing, .asking, .loading, .open, .unplayable: false
    }
  }

  /// A Boolean value that indicates whether the user has to answer a question.
  package var isAsking: Bool { if case .asking = state { true } else { false } }

  /// A Boolean value that indicates whether the film plays once it is open.
  package var playsWhenOpen: Bool { isOpening && playsNext != nil && playsNext == film?.identifier }

  /// Returns a Boolean value that indicates whether a request is the newest.
  package func isCurrent(_ number: Number) -> Bool {
    switch state {
    case .closed, .missing, .unplayable: number == search
    case .describing(let current, _), .asking(let current, _), .loading(let current),
      .open(let current), .lost(let current, _, _), .reopening(let current, _):
      number == current || number == search
    }
  }
}
