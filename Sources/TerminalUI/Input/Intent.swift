import Timekeeping

/// What the person wants, for the application to carry out.
///
/// None of these has happened yet when it arrives: the screen changes only when the application's next
/// ``ScreenModel`` says so.
public enum Intent: Hashable, Sendable {
  // Playback.
  case playPause
  case skip(by: Duration)
  case seek(to: MediaTime)
  /// Looks at this place, alone, while the position is being dragged.
  case scrub(to: MediaTime)
  /// Lets go: everybody goes there, or, with nil, this player goes back to the group.
  case endScrub(at: MediaTime?)
  /// So many chapters on, or back if negative.
  case seekChapter(by: Int)
  /// One frame on (1) or back (-1), pausing.
  case frameStep(by: Int)
  case setRate(Double)
  /// Multiplies the rate.
  case multiplyRate(by: Double)
  /// Per cent of full volume.
  case changeVolume(by: Double)
  case toggleMute
  /// So many steps more, or fewer if negative, by which this player runs ahead for a late output.
  case changeLatencyOffset(by: Int)
  /// The next track (1) or the one before (-1).
  case cycleSubtitles(by: Int)
  case toggleSubtitles
  /// The picture into the pane, into a window of its own, or nowhere.
  case cycleVideo
  /// The next kind of picture in the pane: pixels, half-blocks, quadrants.
  case cyclePictureKind
  /// mpv's window as a small one in the corner, or as before.
  case togglePictureInPicture
  case cycleAudio
  /// A command of mpv's that concerns only this player.
  case player(PlayerCommand)

  // The group.
  case startAnyway
  case whatHappened
  case stepAway
  /// Not ready for a start, which waits then; or ready again.
  case toggleReady
  case rejoin
  case say(String)
  /// Gives the sign at this index of ``ScreenModel/reactionSigns``.
  case react(Int)
  case setName(String)
  case openParty
  /// The invite as it was typed or pasted, without blanks.
  case join(invite: String)
  /// Asked and confirmed on the screen; or, in no party, dismisses the note that the last one ended.
  case leaveParty
  /// Asked and confirmed on the screen. The screen lets it through for hosts only.
  case endParty
  /// The invite is on its way to the terminal's clipboard (OSC 52); ``clipboardAnswered(_:)`` follows if the terminal
  /// says something about it.
  case copiedInvite
  /// The terminal's answer to what was copied last.
  case clipboardAnswered(ClipboardAnswer)
  /// Writes the invite to a file that only its owner can read.
  case saveInvite

  // Drawing over the picture.
  /// Begins a drawing, or takes part in the one that there is.
  case draw
  case leaveDrawing
  case pressPen(at: SketchModel.Point)
  case movePen(to: SketchModel.Point)
  case liftPen
  /// Takes back one's own last stroke.
  case undoStroke
  /// Begins another drawing, for everybody.
  case resetDrawing

  // What to watch.
  /// A library entry's `id`, film or folder.
  case choose(String)
  /// A film's `id`, to be watched from its beginning though it was left somewhere.
  case chooseAnew(String)
  /// The page of this film was opened, and wants ``ScreenModel/details``; nil: it was closed.
  case showDetails(String?)
  /// Looks for films with these words in all folders, for ``LibraryModel/found``.
  case search(String)
  /// Has a folder's films looked through and found, wherever one is: a library entry's `id`, or ``LibraryModel/location``.
  case addFolder(String)
  /// A library entry's `id`: what is remembered of it is forgotten.
  case forget(String)
  /// The party that one was in last.
  case rejoinLast
  /// A library entry's `id`, for after what is being watched.
  case enqueue(String)
  /// Watches the playlist's film at this index now.
  case watch(entry: Int)
  /// Indices in the playlist; `to` is where it is afterwards.
  case moveEntry(from: Int, to: Int)
  /// Takes the film at this index off the playlist.
  case dropEntry(Int)
  /// So many films on in the playlist, or back if negative.
  case advance(by: Int)
  /// The folder above the library's.
  case leaveFolder
  /// An address or a path, as it was typed.
  case openURL(String)

  case answer(question: String, choice: String)

  /// The page that shows how well this player keeps in step was opened, and wants ``ScreenModel/sync``; or it was
  /// closed.
  case showSync(Bool)
  /// The person began to look for something to watch, or is done with it.
  case browse(Bool)

  /// A key has no effect now; the text says why, and what to do.
  case explain(TerminalText)

  // The end.
  case quit
  /// A signal asks the process to end: leave in an orderly fashion. It is ended anyway after
  /// ``TerminalScreen/Configuration/orderlyExitLimit``.
  case terminate(signal: Int32)
}
