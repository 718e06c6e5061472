/// A question that only the user can decide: "Open a film from example.org?"
///
/// The answer comes as ``ScreenCommand/answer(question:choice:)``. Keys that were meant for something else don't answer it:
/// the question waits while something is being typed, and Enter takes the marked choice, which at first is
/// ``initialChoice``. Make that the harmless one.
package struct QuestionModel: Hashable, Sendable, Identifiable {
  /// An answer.
  package struct Choice: Hashable, Sendable, Identifiable {
    /// The choice's identifier in ``ScreenCommand/answer(question:choice:)``; unique in its question.
    package var id: String
    /// The key that takes this choice: a letter or digit, different from the other choices'.
    package var key: Character
    /// The meaning of the answer, in a few words.
    package var title: TerminalText

    package init(id: String, key: Character, title: TerminalText) {
      self.id = id
      self.key = key
      self.title = title
    }
  }

  /// The question's identifier in ``ScreenCommand/answer(question:choice:)``; a new question has a new one.
  package var id: String
  /// The question. Text that is too long for the screen is cut; the choices never are.
  package var text: TerminalText
  /// The choices, in the order to show. Escape takes the last one, so it should be "cancel" or "no".
  package var choices: [Choice]
  /// The index of the choice that is marked first.
  package var initialChoice: Int

  /// - Precondition: `choices` isn't empty, and `initialChoice` is the index of a choice; nil is the last one.
  package init(id: String, text: TerminalText, choices: [Choice], initialChoice: Int? = nil) {
    precondition(!choices.isEmpty, "a question without choices: \(text)")
    let initial = initialChoice ?? choices.count - 1
    precondition(choices.indices.contains(initial), "choice \(initial) of \(choices.count)")
    self.id = id
    self.text = text
    self.choices = choices
    self.initialChoice = initial
  }
}
