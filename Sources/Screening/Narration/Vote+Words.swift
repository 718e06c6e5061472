extension ScreeningEvent.Vote {
  /// The question, or its answer, as a sentence.
  var sentence: String {
    let question =
      switch proposal {
      case .rewind: "back by 30 s?"
      case .skip: "skip the introduction?"
      case .next: "the next film?"
      }
    guard let accepted else { return "\(by) asks: \(question) y: yes, n: no" }
    return "\(by)'s question, \(question) \(accepted ? "Yes" : "No"), \(yes) of \(of)"
  }
}
