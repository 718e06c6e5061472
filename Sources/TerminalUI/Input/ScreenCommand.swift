import Screening

/// A request that concerns only the screen: its pages, its lists, and the terminal.
package enum ScreenCommand: Hashable, Sendable {
  /// Selects the next kind of picture in the pane: pixels, half-blocks, quadrants.
  case cyclePictureKind
  /// The invite was sent to the terminal's clipboard (OSC 52). ``clipboardAnswered(_:)`` follows if the terminal
  /// reports the result.
  case copiedInvite
  /// The terminal's answer to the last copy.
  case clipboardAnswered(ClipboardAnswer)
  /// Writes the invite to a file that only its owner can read.
  case saveInvite

  /// Opens the library entry, film or folder, with this `id`.
  case choose(String)
  /// Plays the film with this `id` from its beginning, whatever position was saved.
  case chooseAnew(String)
  /// Requests ``ScreenModel/details`` for the page of this film; nil when the page was closed.
  case showDetails(String?)
  /// Searches all folders for films with these words, for ``LibraryModel/found``.
  case search(String)
  /// Deletes the stored facts about the library entry with this `id`.
  case forget(String)
  /// Opens the folder above the library's current one.
  case leaveFolder

  /// The user's answer to ``ScreenModel/question``.
  case answer(question: String, choice: String)

  /// Reports that the page about synchronization was opened, and needs ``ScreenModel/sync``; or that it was closed.
  case showSync(Bool)
  /// Reports that the user began, or stopped, looking for something to watch.
  case browse(Bool)

  /// Reports that a key has no effect now; the text gives the reason, and the solution.
  case explain(TerminalText)

  /// A signal asks the process to end, and the application should leave in order. The process ends in any case after
  /// ``TerminalScreen/Configuration/orderlyExitLimit``.
  case terminate(signal: Int32)
}

/// A request of the user, for the application to carry out.
///
/// It hasn't happened yet when it arrives: the screen changes only with the application's next ``ScreenModel``.
package enum Intent: Hashable, Sendable {
  /// A command, which could also have been typed.
  case user(UserCommand)
  /// A request that concerns only the screen.
  case screen(ScreenCommand)
}
