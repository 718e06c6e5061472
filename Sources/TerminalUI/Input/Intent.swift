import Timekeeping

/// A request of the user, for the application to carry out.
///
/// It hasn't happened yet when it arrives: the screen changes only with the application's next ``ScreenModel``.
public enum Intent: Hashable, Sendable {
  // Playback.
  case playPause
  case skip(by: Duration)
  case seek(to: MediaTime)
  /// Shows this position to this participant alone, while the playhead is being dragged.
  case scrub(to: MediaTime)
  /// Ends the drag: the group moves to the position, or, with nil, this player returns to the group.
  case endScrub(at: MediaTime?)
  /// Moves by this number of chapters; back if negative.
  case seekChapter(by: Int)
  /// Moves one frame on (1) or back (-1), and pauses.
  case frameStep(by: Int)
  case setRate(Double)
  /// Multiplies the rate.
  case multiplyRate(by: Double)
  /// Changes the volume, in per cent of full volume.
  case changeVolume(by: Double)
  case toggleMute
  /// Changes the lead of this player, for a late output, by this number of steps.
  case changeLatencyOffset(by: Int)
  /// Selects the next track (1) or the previous one (-1).
  case cycleSubtitles(by: Int)
  case toggleSubtitles
  /// Moves the picture into the pane, into a window of its own, or nowhere.
  case cycleVideo
  /// Selects the next kind of picture in the pane: pixels, half-blocks, quadrants.
  case cyclePictureKind
  /// Makes mpv's window a small one in the corner, or restores it.
  case togglePictureInPicture
  case cycleAudio
  /// A command of mpv's that concerns only this player.
  case player(PlayerCommand)

  // The group.
  case startAnyway
  case whatHappened
  case stepAway
  /// Marks this participant as not ready for a start, which waits then; or as ready.
  case toggleReady
  case rejoin
  case say(String)
  /// Sends the reaction at this index of ``ScreenModel/reactionSigns``.
  case react(Int)
  case setName(String)
  case openParty
  /// Joins a party by its invite, as typed or pasted, without blanks.
  case join(invite: String)
  /// Leaves the party, which the user has confirmed; without a party, dismisses the note that the last one ended.
  case leaveParty
  /// Ends the party, which the user has confirmed. The screen only lets hosts do this.
  case endParty
  /// The invite was sent to the terminal's clipboard (OSC 52). ``clipboardAnswered(_:)`` follows if the terminal
  /// reports the result.
  case copiedInvite
  /// The terminal's answer to the last copy.
  case clipboardAnswered(ClipboardAnswer)
  /// Writes the invite to a file that only its owner can read.
  case saveInvite

  // Drawing over the picture.
  /// Begins a drawing, or joins the current one.
  case draw
  case leaveDrawing
  case pressPen(at: SketchModel.Point)
  case movePen(to: SketchModel.Point)
  case liftPen
  /// Removes this participant's last stroke.
  case undoStroke
  /// Begins another drawing, for the whole party.
  case resetDrawing

  // The choice of films.
  /// Opens the library entry, film or folder, with this `id`.
  case choose(String)
  /// Plays the film with this `id` from its beginning, whatever position was saved.
  case chooseAnew(String)
  /// Requests ``ScreenModel/details`` for the page of this film; nil when the page was closed.
  case showDetails(String?)
  /// Searches all folders for films with these words, for ``LibraryModel/found``.
  case search(String)
  /// Adds a folder to those that are scanned and searched: a library entry's `id`, or ``LibraryModel/location``.
  case addFolder(String)
  /// Deletes the stored facts about the library entry with this `id`.
  case forget(String)
  /// Joins this participant's last party again.
  case rejoinLast
  /// Adds the library entry with this `id` to the playlist.
  case enqueue(String)
  /// Plays the playlist's film at this index now.
  case watch(entry: Int)
  /// Moves an entry of the playlist; `to` is its index afterwards.
  case moveEntry(from: Int, to: Int)
  /// Removes the film at this index from the playlist.
  case dropEntry(Int)
  /// Moves by this number of films in the playlist; back if negative.
  case advance(by: Int)
  /// Opens the folder above the library's current one.
  case leaveFolder
  /// Opens an address or a path, as typed.
  case openURL(String)

  case answer(question: String, choice: String)

  /// Reports that the page about synchronization was opened, and needs ``ScreenModel/sync``; or that it was closed.
  case showSync(Bool)
  /// Reports that the user began, or stopped, looking for something to watch.
  case browse(Bool)

  /// Reports that a key has no effect now; the text gives the reason, and the solution.
  case explain(TerminalText)

  // The end.
  case quit
  /// A signal asks the process to end, and the application should leave in order. The process ends in any case after
  /// ``TerminalScreen/Configuration/orderlyExitLimit``.
  case terminate(signal: Int32)
}
