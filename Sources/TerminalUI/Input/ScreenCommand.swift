import Screening

/// A request that concerns only the screen: its pages, its lists, and the terminal.
package enum ScreenCommand: Hashable, Sendable {
  /// Selects the next kind of picture in the pane: pixels, sixels, octants, quadrants, half-blocks.
  case cyclePictureKind
  /// Requests the menu of the film's tracks, as ``ScreenModel/question``.
  case showTracks
  /// Requests the menu of the film's chapters, as ``ScreenModel/question``.
  case showChapters
  /// The invite was sent to the terminal's clipboard (OSC 52). ``clipboardAnswered(_:)`` follows if the terminal
  /// reports the result.
  case copiedInvite
  /// The terminal's answer to the last copy.
  case clipboardAnswered(ClipboardAnswer)
  /// Writes the invite to a file that only its owner can read.
  case saveInvite
  /// Writes a page for one friend with a browser to a file.
  case savePage

  /// Opens the library entry, film or folder, with this `id`.
  case choose(String)
  /// Plays the film with this `id` from its beginning, whatever position was saved.
  case chooseAnew(String)
  /// Plays the film with this `id` from one of its moments, an index of ``DetailsModel/moments``.
  case chooseMoment(String, Int)
  /// Requests ``ScreenModel/details`` of a film; nil when they aren't shown any more.
  case showDetails(WantedDetails?)
  /// Searches all folders for films with these words, for ``LibraryModel/found``.
  case search(String)
  /// Completes a path, for ``ScreenModel/completion``.
  case completePath(PathCompletion.Request)
  /// Deletes the stored facts about the library entry with this `id`.
  case forget(String)
  /// Opens the library in the folder of the film that is open, ``LibraryModel/filmFolder``.
  case showFilmFolder(String)
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

/// The application behind the screen. It carries out the user's requests, in their order.
///
/// None of them has happened yet when it arrives: the screen changes only with the application's next ``ScreenModel``. The
/// screen's thread calls these, so that they return at once.
package protocol ScreenOwner: Sendable {
  /// Takes a command, which could also have been typed.
  func perform(_ command: UserCommand)
  /// Takes a request that concerns only the screen.
  func perform(_ command: ScreenCommand)
  /// The screen was closed.
  func screenClosed()
}

extension ScreenCommand {
  /// The details of the library that are shown.
  package struct WantedDetails: Hashable, Sendable {
    /// The library's entry.
    package var id: String
    /// A Boolean value that indicates whether there is room for a still picture.
    package var hasStill: Bool
    /// The index of the moment that the still shows; nil for any picture.
    package var moment: Int?

    package init(id: String, hasStill: Bool = true, moment: Int? = nil) {
      self.id = id
      self.hasStill = hasStill
      self.moment = moment
    }
  }
}
