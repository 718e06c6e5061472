import Screening

extension Command {
  /// The row of the table with the command that the key gives, or asks for; nil for a command that only the screen
  /// has, and for one that depends on what the screen shows.
  var row: UserCommandTable.Row? {
    switch self {
    case .user(let command): UserCommandTable.row(command.name)
    case .prompt(.chat): UserCommandTable.row("chat")
    case .prompt(.name): UserCommandTable.row("name")
    case .react: UserCommandTable.row("react")
    case .leaveParty: UserCommandTable.row("leave")
    case .endParty: UserCommandTable.row("end-party")
    case .leaveDrawing: UserCommandTable.row("leave-drawing")
    case .screen, .sequence, .showPicture, .startAnywayOrPause, .stepAwayOrRejoin, .scrub, .prompt,
      .showHelp, .toggleSync, .showInvite, .togglePicture, .toggleCompact, .toggleLibrary,
      .openPartyOrPictureInPicture, .showPlaylist, .redraw, .suspend, .movePen, .togglePen, .select,
      .selectPage, .selectFirst, .selectLast, .openSelected, .enqueueSelected, .leaveFolder,
      .closeLibrary, .searchLibrary, .toggleDetails, .openSelectedAnew, .addFolder, .forgetSelected:
      nil
    }
  }
}
