/// A sign that rises over the picture of all participants.
package enum Reaction: String, Hashable, Sendable, CaseIterable, Codable {
  /// The signs, by the names that are sent.
  case like, laugh, wow, sad, applause, love, party, fire

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
    }
  }
}

  /// Returns a text with the signs in place of their names between colons: ":fire:".
  static func replacingNames(in text: String) -> String {
    allCases.reduce(text) { $0.replacing(":\($1.rawValue):", with: $1.symbol) }
  }
