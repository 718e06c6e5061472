/// A sign that rises over the picture of all participants.
package enum Reaction: String, Hashable, Sendable, CaseIterable, Codable {
  /// The signs, by the names that are sent.
  case like, laugh, wow, sad, applause, love, party, fire
  /// A mark at a place of the film that is worth a return; see ``Evening/moments``.
  case moment

  /// The way in which signs are shown.
  package enum Motion: String, Hashable, Sendable, CaseIterable {
    /// They rise over the picture.
    case rise
    /// They stay at the picture's bottom.
    case stay
    /// They aren't shown.
    case off
  }

  /// The sign as one character.
  package var symbol: String {
    switch self {
    case .like: "👍"
    case .laugh: "😂"
    case .wow: "😮"
    case .sad: "😢"
    case .applause: "👏"
    case .love: "💙"
    case .party: "🎉"
    case .fire: "🔥"
    case .moment: "⭐"
    }
  }

  /// Returns a text with the signs in place of their names between colons: ":fire:".
  static func replacingNames(in text: String) -> String {
    allCases.reduce(text) { $0.replacing(":\($1.rawValue):", with: $1.symbol) }
  }
}
