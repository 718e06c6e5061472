extension ScreeningEvent.Vote {
  /// The question, or its answer, as a sentence.
  var sentence: String { sentence(answered: "y: yes, n: no") }

  /// - Parameter way: the way to answer the question.
  package func sentence(answered way: String) -> String {
    let question =
      switch proposal {
      case .rewind: "back by 30 s?"
      case .skip: "skip the introduction?"
      case .next: "the next film?"
      }
    guard let accepted else { return "\(by) asks: \(question) \(way)" }
    return "\(by)'s question, \(question) \(accepted ? "Yes" : "No"), \(yes) of \(of)"
  }
}
