import Foundation
import GroupActivities
import MediaLibrary
import NATSTransport
import Screening

/// The parties that this user was in, and the people it met there.
extension Theater {
  /// Takes this user's seat in a party that it joins. If the remembered identity can't be read, the user joins as a new
  /// participant, and nothing of the visit is remembered.
  func seat(in invite: Invite) async -> PartySeat {
    let seat = await PartySeat.take(in: invite.party, from: history?.library)
    if case .unreadable(let reason) = seat.memory {
      emit(
        .warning(
          "Can't read who you are in this party (\(reason)). You join as a new participant, and what is kept stays "
            + "unchanged. To return as yourself, restart Matinee and join again."))
    }
    return seat
  }

  func take(_ seat: PartySeat) { self.seat = seat }

  /// Remembers a party that was just entered.
  ///
  /// - Parameter port: the port of this user's own relay; nil without one.
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

  /// Remembers the party's rules, so that they apply when it is opened again.
  func rememberRules() async {
    guard let log = await party?.policyLog else { return }
    await updateParty { $0.policyLog = log }
  }

  /// Changes the remembered facts about the party.
  func updateParty(_ change: @escaping @Sendable (inout RememberedParty) -> Void) async {
    guard let seat, seat.isKept, let party else { return }
    await forgivingly { try await $0.update(party: party.invite.party.description, change) }
  }

  /// Returns to a party as the same participant. A party with this program's relay is opened again.
  ///
  /// - Throws: an error with the reason and a suggestion.
  func rejoin(_ id: String, _ options: PartyHosting.Options) async throws {
    let (known, invite) = try await rememberedParty(id)
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

  /// - Throws: ``RejoinProblem``.
  private func rememberedParty(
    _ id: String
  ) async throws(RejoinProblem) -> (RememberedParty, Invite) {
    let known: RememberedParty?
    do throws(MediaLibraryError) {
      known = try await history?.library.party(id)
    } catch {
      throw .unreadable(error.reason)
    }
    guard let known else { throw .unknown }
    do throws(InviteError) {
      return (known, try Invite(known.invite))
    } catch {
      throw .unreadable("The kept invite is damaged")
    }
  }

  /// Opens a party again whose relay is this program's. It uses the previous port, so that the other participants find
  /// it. It refuses without the creator's identity: another one would lose the party for good.
  private func reopenParty(
    _ invite: Invite, _ known: RememberedParty, _ options: PartyHosting.Options
  ) async throws {
    let seat = await PartySeat.take(in: invite.party, from: history?.library)
    switch seat.memory {
    case .kept: break
    case .elsewhere: throw RejoinProblem.open
    case .off, .empty: throw RejoinProblem.unknown
    case .unreadable(let reason): throw RejoinProblem.unreadable(reason)
    }
    guard let founding = Party.Founding(reopening: invite, as: seat.identity) else {
      throw RejoinProblem.unreadable("The kept identity isn't its creator's")
    }
    // Only now: a refused return ends no other party.
    if party != nil { await leaveParty() }
    var options = options
    // The other participants look for the relay at the previous port. An option has priority.
    if options.port ?? 0 == 0 { options.port = known.port }
    try await host(founding, seat, options, returning: true)
  }

  func forget(party id: String) async throws { try await history?.library.forget(party: id) }

  func forget(person key: String, of party: String) async throws {
    try await history?.library.forget(person: key, of: party)
  }

  // MARK: - People

  /// The size of the largest party in which people are remembered. In a larger crowd a participant hasn't met the
  /// others.
  static let companyLimit = 50

  /// Remembers another participant, and reports whether this user has met that person before.
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
      if let before = known.before {
        emit(.met(.init(participant), .init(name: before.name, last: before.seenAt)))
      }
      if let namesake = known.namesake {
        emit(
          .warning(
            "This \(participant.name) has another key than the \(namesake.name) whom you met here on "
              + "\(StoryWords.day(namesake.metAt)): another person, or another machine. "
              + "To be sure, ask something that only \(namesake.name) knows."))
      }
    }
  }

  // MARK: - Hosts

  /// Reads the hosts that are permanently trusted.
  func readTrustedHosts() async {
    do {
      for host in try await history?.library.hosts() ?? [] { policy.allow(trusted: host.name) }
    } catch {
      emit(
        .warning(
          "Can't read the trusted servers, so you are asked about each of them again: \(error)"))
    }
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

/// A problem with a remembered party or host.
enum RejoinProblem: Error, Hashable, CustomStringConvertible {
  case unknown
  case inIt
  /// Another program of this user is in the party.
  case open
  /// The record of the party, or the lock of its identity, can't be used.
  case unreadable(String)
  case nobodyHere
  case unreachable(PartyError)
  case notTrusted(String)

  var description: String {
    switch self {
    case .unknown: "Unknown party. Join it with its invite."
    case .inIt: "You are already in this party."
    case .open: "This party is open in another Matinee. Continue there, or quit that one first."
    case .unreadable(let reason):
      "Can't read who you are in this party (\(reason)). What is kept stays unchanged. Restart Matinee and try again."
    case .nobodyHere:
      "Nobody is in this party. Try again once its host has opened it, or ask for a new invite."
    case .unreachable(let error):
      "Can't reach this party (\(error)). Try again once its host is online, or ask for a new invite."
    case .notTrusted(let host): "\(host) isn't one of the trusted servers."
    }
  }
}
