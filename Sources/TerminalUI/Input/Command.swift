/// What a key does: an intent for the application, or something on the screen itself.
enum Command: Hashable, Sendable {
  case intent(Intent)
  /// mpv's pause; while the group waits for somebody, start without them.
  case startAnywayOrPause
  /// A chapter on (1) or back (-1), or ten minutes where there are no chapters.
  case chapterOrLongSeek(Int)
  case stepAwayOrRejoin
  /// Moves only one's own picture until it is let go of.
  case scrub
  case prompt(Prompt.Kind)
  case showHelp
  case toggleSync
  /// The party's invite; without a party, what to do with somebody's.
  case showInvite
  /// The picture on all of the screen, or as before.
  case togglePicture
  /// Three lines, or as before.
  case toggleCompact
  case toggleLibrary
  /// Opens a party; in one, the window becomes small.
  case openPartyOrPictureInPicture
  case showPlaylist
  case react
  case leaveParty
  case endParty
  case redraw
  case suspend

  // While drawing.
  /// In widths of a cell.
  case movePen(columns: Int, rows: Int)
  case togglePen
  case leaveDrawing

  // In the library.
  case select(by: Int)
  case selectPage(by: Int)
  case selectFirst
  case selectLast
  case openSelected
  case enqueueSelected
  case leaveFolder
  case closeLibrary
  case searchLibrary
  case toggleDetails
  case openSelectedAnew
  case addFolder
  case forgetSelected
}
