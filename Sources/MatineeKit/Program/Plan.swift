import Doors
import GroupActivities
import Screening

/// The films, options and party that the command line requests.
package struct Plan: Sendable {
  package enum Entrance: Sendable {
    case alone, hosting
    case joining(Invite)
    /// A private party, whose members are those of a room elsewhere.
    case room(RoomDoor)
  }

  var copies: [FilmIdentity]
  package var roots: [String]
  var hosting: PartyHosting.Options
  var inviteFile: String?
  package var entrance: Entrance
  /// A Boolean value that indicates whether the first film continues where the user stopped watching it.
  var resumes: Bool
  /// A Boolean value that indicates whether the only file among ``copies`` is the party's film in another copy.
  var namesSameFilm: Bool

  package init(
    copies: [FilmIdentity], roots: [String], hosting: PartyHosting.Options, inviteFile: String?,
    entrance: Entrance, resumes: Bool = false, namesSameFilm: Bool = false
  ) {
    self.copies = copies
    self.roots = roots
    self.hosting = hosting
    self.inviteFile = inviteFile
    self.entrance = entrance
    self.resumes = resumes
    self.namesSameFilm = namesSameFilm
  }

  /// Enters the party, if one is requested, and opens the first film.
  package func begin(_ program: Program) async throws {
    await program.prepare(copies, hosting, namesSameFilm: namesSameFilm)
    if hosting.shares || hosting.shareQuality != nil {
      try await program.perform(.share(true, hosting.shareQuality))
    }
    let start = await program.player.configuredStart
    switch entrance {
    case .alone:
      await program.runner.handle(.planned(copies, resumes: resumes, start: start))
      await program.runner.handle(.opensPlanned)
    case .hosting:
      await program.runner.handle(.planned(copies, resumes: resumes, start: start))
      try await program.perform(.host)
      try await writeInvite(of: program)
    case .room(let room):
      await program.parties.expect(room)
      await program.runner.handle(.planned(copies, resumes: resumes, start: start))
      try await program.runner.carryOut(.party(.enters(.room)))
    case .joining(let invite): try await program.perform(.join(invite: invite.text))
    }
  }

  package func writeInvite(of program: Program) async throws {
    guard let inviteFile, let invite = await program.invite else { return }
    try InviteFile.write(invite, to: inviteFile)
  }
}
