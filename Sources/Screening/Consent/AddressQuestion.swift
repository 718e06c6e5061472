/// A question to the user about the address of the party's film, to which the user hasn't agreed.
package struct AddressQuestion: Hashable, Sendable {
  package var origin: FilmOrigin
  package var network: HostNetwork
  /// The address, cleaned for the screen.
  package var location: String

  /// The question, as all faces show it.
  package var asked: ScreeningEvent.FilmQuestion {
    .init(
      host: origin.host, origin: origin.description, url: location,
      isInOwnNetwork: network == .own)
  }
}
