import Screening

/// The command of a key: one for the application, or a change of the screen itself.
indirect enum Command: Hashable, Sendable {
  case user(UserCommand)
  case screen(ScreenCommand)
  /// Several commands, one after the other.
  case sequence([Command])
  /// Shows the picture on the full screen, or ends that.
  case showPicture(Bool)
  /// Pauses as in mpv; while the group waits for participants, starts without them.
  case startAnywayOrPause
  case stepAwayOrRejoin
  /// Moves only this participant's picture, until the new position is accepted or given up.
  case scrub
  case prompt(Prompt.Kind)
  case showHelp
  case toggleSync
  /// Shows the party's invite; without a party, asks for one.
  case showInvite
  /// Shows the picture on the full screen, or ends that.
  case togglePicture
  /// Shows only three lines, or ends that.
  case toggleCompact
  case toggleLibrary
  /// Opens a party; in a party, makes the window small.
  case openPartyOrPictureInPicture
  case showPlaylist
  case react
  case leaveParty
  case endParty
  case redraw
  case suspend

  // While drawing.
  /// Moves the pen, in widths of a cell.
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
