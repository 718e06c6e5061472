extension ScreeningEvent.ShareQuestion {
  /// The question as sentences.
  package var text: String {
    let size = size.map { StoryWords.size($0) }
    if let from {
      return "\(from) shares “\(film)”\(size.map { ", \($0)" } ?? ""). Watch it from there?"
    }
    let verb = to.count == 1 ? "doesn't" : "don't"
    return "\(StoryWords.list(to)) \(verb) have “\(film)”. Share yours? "
      + (size.map { "\($0), it plays while it arrives." } ?? "It plays while it arrives.")
  }
}
