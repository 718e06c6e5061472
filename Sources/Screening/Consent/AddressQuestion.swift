/// A question to the user about the address of the party's film, to which the user hasn't agreed.
package struct AddressQuestion: Hashable, Sendable {
  package var origin: FilmOrigin
  package var network: HostNetwork
  /// The address, cleaned for the screen.
  package var location: String
  /// The user's file, if it may be the same film; nil for none.
  package var copy: CopyComparison?

  /// The question, as all faces show it.
  package var asked: ScreeningEvent.FilmQuestion {
    .init(
      host: origin.host, origin: origin.description, url: location,
      isInOwnNetwork: network == .own,
      copy: copy.map { .init(title: $0.film.title, path: $0.film.location, facts: $0.facts) })
  }
}
