import GroupActivities
import Screening

/// The films, options and party that the command line requests.
struct Plan: Sendable {
  enum Entrance: Sendable {
    case alone, hosting
    case joining(Invite)
  }

  var copies: [FilmIdentity]
  var roots: [String]
  var hosting: PartyHosting.Options
  var inviteFile: String?
  var entrance: Entrance
  /// A Boolean value that indicates whether the first film continues where the user stopped watching it.
  var resumes = false

  /// Enters the party, if one is requested, and opens the first film.
  func begin(_ program: Program) async throws {
    await program.prepare(copies, hosting)
    switch entrance {
    case .alone:
      await plan(in: program)
      await program.shell.openPlanned()
    case .hosting:
      await plan(in: program)
      try await program.parties.open(hosting)
      try await writeInvite(of: program)
    case .joining(let invite):
      try await program.parties.join(invite, brokers: hosting.brokers)
    }
  }

  private func plan(in program: Program) async {
    await program.plan(copies)
    if resumes, let first = copies.first { await program.resume(first.identifier) }
  }

  func writeInvite(of program: Program) async throws {
    guard let inviteFile, let invite = await program.invite else { return }
    try InviteFile.write(invite, to: inviteFile)
  }
}
