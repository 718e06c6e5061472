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

  /// Enters the party, if one is requested, and opens the first film.
  func begin(_ theater: Theater) async throws {
    await theater.setHostingOptions(hosting)
    await theater.remember(copies)
    switch entrance {
    case .alone:
      await theater.plan(copies)
      await theater.openPlanned()
    case .hosting:
      await theater.plan(copies)
      try await theater.parties.open(hosting)
      try await writeInvite(of: theater)
    case .joining(let invite):
      try await theater.parties.join(invite, brokers: hosting.brokers)
    }
  }

  func writeInvite(of theater: Theater) async throws {
    guard let inviteFile, let invite = await theater.invite else { return }
    try InviteFile.write(invite, to: inviteFile)
  }
}
