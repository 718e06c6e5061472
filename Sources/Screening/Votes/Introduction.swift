/// The names of chapters before the film's own story.
package enum Introduction {
  private static let words: Set = ["intro", "introduction", "opening", "op", "recap", "previously"]

  /// Returns a Boolean value that indicates whether a chapter's name says that it is one.
  package static func isNamed(_ title: String?) -> Bool {
    guard let title else { return false }
    return title.lowercased().split { !$0.isLetter }.contains { words.contains(String($0)) }
  }
}
