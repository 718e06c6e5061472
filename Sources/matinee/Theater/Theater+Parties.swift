import Foundation
import GroupActivities
import MediaLibrary
import NATSTransport

/// Parties that this user was in, and whom it met there.
extension Theater {
  /// Who this user is in a party that it joins.
  func seat(in invite: Invite) async -> PartySeat {
    guard let folder = history?.library.path else {
      return PartySeat(in: invite.party, kept: nil, folder: nil)
    }
    let known = try? await history?.library.party(invite.party.description)
    return PartySeat(
      in: invite.party, kept: known.flatMap { ParticipantIdentity(seed: $0.identity) },
      folder: folder)
  }

  /// Remembers a party that was just entered.
  ///
  /// - Parameter port: where this user's own relay listens.
  func rememberParty(_ invite: Invite, isHost: Bool, port: Int? = nil) async {
    guard let seat, seat.isKept else { return }
    let name = name
    let log = await party?.policyLog
    await forgivingly { library in
      let before = try await library.party(invite.party.description)
      try await library.remember(
        RememberedParty(
          id: invite.party.description, invite: invite.text, identity: seat.identity.seed,
          name: name, title: before?.title, isHost: isHost, port: port,
          policyLog: log ?? before?.policyLog))
    }
  }

  /// Keeps the party's rules with it, so that they hold when it is opened again.
  func rememberRules() async {
    guard let log = await party?.policyLog else { return }
    await updateParty { $0.policyLog = log }
  }

  /// The rules of a party that this user was in before.
  func policyLog(of party: Participant.ID) async throws -> Data? {
    try await history?.library.party(party.description)?.policyLog
  }

  /// Changes what is remembered of the party.
  func updateParty(_ change: @escaping @Sendable (inout RememberedParty) -> Void) async {
    guard let seat, seat.isKept, let party else { return }
    await forgivingly { try await $0.update(party: party.invite.party.description, change) }
  }

  /// Comes back to a party: as the same participant, and to one's own by opening it again if nobody is in it.
  ///
  /// - Throws: why not, in words that say what to do.
  func rejoin(_ id: String, _ options: PartyHosting.Options) async throws {
    guard let known = try await history?.library.party(id), let invite = try? Invite(known.invite)
    else { throw RejoinProblem.unknown }
    guard party?.invite.party != invite.party else { throw RejoinProblem.inIt }
    do {
      if known.isHost, known.port != nil, options.brokers.servers.isEmpty {
        try await reopenParty(invite, known, options)
      } else {
        try await joinParty(invite, brokers: options.brokers)
      }
    } catch PartyError.nobodyHere {
      await forgivingly { library in
        try await library.update(party: id) { $0.ending = "nobody was online" }
      }
      throw RejoinProblem.nobodyHere
    } catch let error as PartyError {
      guard case .transport = error else { throw error }
      throw RejoinProblem.unreachable(error)
    }
  }

  /// The party's own relay is this program's: it is opened where it was, and the others come back to it.
  private func reopenParty(
    _ invite: Invite, _ known: RememberedParty, _ options: PartyHosting.Options
  ) async throws {
    if party != nil { await leaveParty() }
    let seat = await seat(in: invite)
    guard let founding = Party.Founding(reopening: invite, as: seat.identity) else {
      throw RejoinProblem.open
    }
    var options = options
    // Where the others look for it, unless somebody says otherwise.
    if options.port ?? 0 == 0 { options.port = known.port }
    try await host(founding, seat, options, returning: true)
  }

  func forget(party id: String) async throws { try await history?.library.forget(party: id) }

  func forget(person key: String, of party: String) async throws {
    try await history?.library.forget(person: key, of: party)
  }

  // MARK: - People

  /// In a crowd one meets nobody.
  static let companyLimit = 50

  /// Somebody else is in the party: known from before, or not.
  func meet(_ participant: Participant) async {
    guard let party, let seat, seat.isKept, await party.participantCount <= Self.companyLimit,
      participant.id != (await party.localParticipant).id
    else { return }
    let now = Date()
    let person = MetPerson(
      party: party.invite.party.description, key: participant.id.description,
      name: participant.name, metAt: now, seenAt: now)
    await forgivingly { library in
      let known = try await library.meet(person, since: seat.since)
      if let before = known.before { emit(.met(participant, before: before)) }
      if let namesake = known.namesake {
        emit(
          .warning(
            "This \(participant.name) has another key than the \(namesake.name) whom you met here on "
              + "\(Remembered.day(namesake.metAt)): another person, or another machine. "
              + "To be sure, ask something that only \(namesake.name) knows."))
      }
    }
  }

  // MARK: - Hosts

  /// Those that are trusted for good.
  func readTrustedHosts() async {
    for host in (try? await history?.library.hosts()) ?? [] { policy.allow(trusted: host.name) }
  }

  func trust(_ origin: Origin) async {
    await forgivingly { try await $0.allow(host: origin.description) }
  }

  /// - Parameter text: an origin, or a host for all of its origins.
  func forget(host text: String) async throws {
    policy.forget(trusted: text)
    let trusted = try await history?.library.hosts() ?? []
    let meant = trusted.filter { URLPolicy.isMeant($0.name, by: text) }
    guard !meant.isEmpty else { throw RejoinProblem.notTrusted(text) }
    for host in meant { try await history?.library.forget(host: host.name) }
  }
}

/// What was remembered is of no use.
enum RejoinProblem: Error, Hashable, CustomStringConvertible {
  case unknown
  case inIt
  /// Another program of this user is in it.
  case open
  case nobodyHere
  case unreachable(PartyError)
  case notTrusted(String)

  var description: String {
    switch self {
    case .unknown: "Unknown party. Join it with its invite."
    case .inIt: "You are already in this party."
    case .open: "This party is open in another Matinee. Continue there, or quit that one first."
    case .nobodyHere:
      "Nobody is in this party. Try again once its host has opened it, or ask for a new invite."
    case .unreachable(let error):
      "Can't reach this party (\(error)). Try again once its host is online, or ask for a new invite."
    case .notTrusted(let host): "\(host) isn't one of the trusted servers."
    }
  }
}
