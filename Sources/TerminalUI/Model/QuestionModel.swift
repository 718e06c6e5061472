/// Something that only the person can decide: "Open a film from example.org?"
///
/// The answer comes as ``Intent/answer(question:choice:)``. Keys that were meant for something else don't
/// answer it: it waits while something is being typed, and Enter takes the choice that is marked,
/// which at first is ``initialChoice``. Make that the harmless one.
public struct QuestionModel: Hashable, Sendable, Identifiable {
  /// An answer.
  public struct Choice: Hashable, Sendable, Identifiable {
    /// Comes back in ``Intent/answer(question:choice:)``; unique in its question.
    public var id: String
    /// The key that takes this choice: a letter or digit, different from the other choices'.
    public var key: Character
    /// What the answer means, in a few words.
    public var title: TerminalText

    public init(id: String, key: Character, title: TerminalText) {
      self.id = id
      self.key = key
      self.title = title
    }
  }

  /// Comes back in ``Intent/answer(question:choice:)``; a new question has a new one.
  public var id: String
  /// The question. What is too long for the screen is cut, never the choices.
  public var text: TerminalText
  /// In the order to show. Escape takes the last one, so let that be "cancel" or "no".
  public var choices: [Choice]
  /// The index of the choice that is marked first.
  public var initialChoice: Int

  /// - Precondition: there is a choice, and `initialChoice` is one's index; nil is the last.
  public init(id: String, text: TerminalText, choices: [Choice], initialChoice: Int? = nil) {
    precondition(!choices.isEmpty, "a question without choices: \(text)")
    let initial = initialChoice ?? choices.count - 1
    precondition(choices.indices.contains(initial), "choice \(initial) of \(choices.count)")
    self.id = id
    self.text = text
    self.choices = choices
    self.initialChoice = initial
  }
}
