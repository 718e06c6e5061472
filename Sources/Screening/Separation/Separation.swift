import PlaybackCoordination

/// A cause for which this participant is separate from the group. Each cause occurs at most once at a time.
///
/// The properties are the table of reasons: who begins a separation, and what a change of the group's film does to it.
package enum Separation: Hashable, Sendable, CaseIterable {
  /// The user asked for it, for any suspension reason.
  case steppedAway
  /// The user watches a film alone.
  case watchingAlone
  /// The user looks at another position.
  case scrubbing
  /// Another player shows trailers.
  case interstitial
  /// The user hasn't confirmed the ready check.
  case notReady
  /// The player waits for data.
  case stalled
  /// The player is too slow for the film at its rate.
  case tooSlow
  /// The player's copy lacks what the group sees.
  case lacking
  /// The film's server is unreachable.
  case disconnected
  /// The player can't play the group's film.
  case unable
  /// A film waits for the user's consent.
  case undecided

  /// The effect of a change of the group's film on a separation.
  package enum FilmChange: Hashable, Sendable {
    /// The participant keeps the film on the screen, and the separation continues until the user ends it.
    case keepsFilm
    /// The participant follows to the new film, and the separation continues.
    case follows
    /// The participant follows to the new film, and the separation ends, because it concerned the film before.
    case ends
  }

  /// The effect of a change of the group's film.
  package var onFilmChange: FilmChange {
    switch self {
    case .steppedAway, .watchingAlone: .keepsFilm
    case .interstitial, .notReady: .follows
    // The next film ends these three once it is open, and the player has data.
    case .stalled, .disconnected, .unable: .follows
    case .scrubbing, .tooSlow, .lacking, .undecided: .ends
    }
  }
}

extension CoordinatedPlaybackSuspension.Reason {
  /// The participant watches a film alone, which may be the group's.
  package static let watchingAlone = Self(rawValue: "watchingAlone")
  /// The participant's player is too slow for the film at its rate.
  package static let cannotKeepUp = Self(rawValue: "cannotKeepUp")
  /// The participant's copy of the film lacks what the group sees.
  package static let notInCopy = Self(rawValue: "notInCopy")
}
