extension ScreeningEvent.ShareQuestion {
  /// The question as sentences.
  package var text: String {
    let size = size.map { StoryWords.size($0) }
    if let subtitles {
      return "Share the subtitles “\(subtitles)” with \(StoryWords.list(to))?"
    }
    if copy != nil {
      let length = difference.map { " (\($0))" } ?? ""
      return "Your file is another copy of “\(film)”\(length). Watch it as the same film?"
    }
    if let from {
      let copy = quality.map { " in \($0), at most" } ?? ","
      return "\(from) shares “\(film)”\(size.map { "\(copy) \($0)" } ?? ""). Watch it from there?"
    }
    let verb = to.count == 1 ? "doesn't" : "don't"
    return "\(StoryWords.list(to)) \(verb) have “\(film)”. Share yours? "
      + (size.map { "\($0), it plays while it arrives." } ?? "It plays while it arrives.")
  }
}
