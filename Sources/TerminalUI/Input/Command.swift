/// What a key does: an intent for the application, or something on the screen itself.
indirect enum Command: Hashable, Sendable {
  case intent(Intent)
  /// Several, one after the other.
  case sequence([Command])
  /// Pauses or plays, whatever is done now.
  case setPaused(Bool)
  /// Adds to the speed.
  case addRate(Double)
  /// The speed that comes after the current one.
  case cycleRates([Double])
  /// A position in per cent of the duration, or a step of so many.
  case seekPercent(Double, isRelative: Bool)
  /// The full screen, or not.
  case showPicture(Bool)
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
