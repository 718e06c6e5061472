/// The reason why the group watches another film.
package enum FilmCause: String, Encodable, Hashable, Sendable, CaseIterable {
  /// A participant chose it.
  case chosen
  /// The previous film in the playlist ended.
  case following
  /// The party was already watching it when this participant joined.
  case current
  /// This participant opened the party with it.
  case own
}
