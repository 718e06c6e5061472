import Foundation
import GroupActivities
import Logging
import MediaLibrary
import NATSTransport
import Relay
import Screening
import WatchTogether

/// Opening a party, joining one, and returning to one.
extension OwnPartyRoom {
  /// Opens a party with the current list of films.
  func open(_ options: PartyHosting.Options) async throws {
    await departureEnds()
    try core.machine.membership.beginEntering()
    defer { core.machine.membership.enteringFailed() }
    let founding = Party.Founding()
    let seat = PartySeat(founding: founding, folder: memory.folder)
    try await host(founding, seat, options, returningTo: nil)
  }

  /// - Parameters:
  ///   - known: the remembered invite, for a return to a party in which others may be; nil for a new party.
  ///   - list: the remembered films, for a return to a party that everybody has left.
  private func host(
    _ founding: Party.Founding, _ seat: PartySeat, _ options: PartyHosting.Options,
    returningTo known: Invite?, _ list: Playlist? = nil
  ) async throws {
    let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
    recallName(in: seat)
    do {
      let (party, isEmpty) = try await open(
        founding, on: hosting, transport, returningTo: known, policyLog: seat.policyLog)
      let planned = core.machine.ownList
      await enter(party, as: seat, hosting: hosting)
      // Rules that still hold from an earlier run are not set again.
      let rules = await party.rules
      if options.control != .everyone, options.control != rules.control {
        try await party.amend(.control(options.control))
      }
      if options.waiting != .everyone, options.waiting != rules.waiting {
        try await party.amend(.waiting(options.waiting))
      }
      await remember(party, as: seat, isHost: true, port: hosting.port)
      // A host who returns to participants watches their film.
      guard isEmpty else { return }
      if let planned {
        try await sessions.begin(planned, in: party)
      } else if let list {
        await links.resume(list.current.identifier)
        try await sessions.begin(list, in: party)
      }
    } catch {
      await hosting.stop()
      throw error
    }
  }

  /// Joins the participants who are still in the party, or else creates it. They reconnect to its relay on their own,
  /// and a returning host waits for them because their program holds.
  private func open(
    _ founding: Party.Founding, on hosting: PartyHosting, _ transport: any GroupTransport,
    returningTo known: Invite?, policyLog: Data?
  ) async throws -> (Party, isEmpty: Bool) {
    var transport = transport
    if let known {
      do throws(PartyError) {
        let party = try await Party.join(
          founding.invite(addresses: hosting.addresses), as: founding.identity, name: name,
          transport: transport, policyLog: policyLog, deadline: .seconds(5))
        return (party, false)
      } catch {
        guard error == .nobodyHere else { throw error }
        if let party = await joinElsewhere(known, founding, hosting, policyLog) {
          return (party, false)
        }
        transport = hosting.anotherTransport(founding, transport)
      }
    }
    let party = try await Party.create(
      founding, addresses: hosting.addresses, name: name, transport: transport,
      policyLog: policyLog)
    return (party, true)
  }

  /// Joins the participants who are at another relay and don't find this one, because this machine has another address
  /// now. They read the new address there, and come.
  ///
  /// - Returns: nil if no participant is there.
  private func joinElsewhere(
    _ known: Invite, _ founding: Party.Founding, _ hosting: PartyHosting, _ policyLog: Data?
  ) async -> Party? {
    let others = known.addresses.filter { !hosting.addresses.contains($0) }
    guard !others.isEmpty else { return nil }
    do throws(PartyError) {
      return try await Party.join(
        invite: known.at(others), as: founding.identity, name: name, policyLog: policyLog,
        logger: .ofTransport)
    } catch {
      return nil
    }
  }

  private func remember(
    _ party: Party, as seat: PartySeat, isHost: Bool, port: Int?
  ) async {
    await memory.remember(
      party.invite, in: seat, as: name, isHost: isHost, port: port,
      policyLog: await party.policyLog)
  }

  // MARK: - Joining

  /// - Parameters:
  ///   - brokers: the servers to connect to instead of the invite's addresses, if any are named, and the settings for the
  ///     connection.
  ///   - port: the port of this program's relay at its last stay, if it was the party's.
  func join(_ invite: Invite, brokers: PartyHosting.Brokers, port: Int? = nil) async throws {
    await leaveCompletely()
    try core.machine.membership.beginEntering()
    defer { core.machine.membership.enteringFailed() }
    let seat = await memory.seat(in: invite)
    recallName(in: seat)
    let party = try await Party.join(
      invite: invite, as: seat.identity, name: name, policyLog: seat.policyLog,
      through: brokers.configuration, logger: .ofTransport)
    await remember(party, as: seat, isHost: seat.identity.id == invite.party, port: port)
    await enter(party, as: seat, hosting: nil)
  }

  // MARK: - Returning

  /// Returns to a party as the same participant. A party with this program's relay is opened again.
  ///
  /// - Parameters:
  ///   - id: the party's id; nil for the last party.
  ///   - options: nil for ``options``.
  /// - Throws: an error with the reason and a suggestion.
  func rejoin(_ id: String?, _ options: PartyHosting.Options? = nil) async throws {
    let options = options ?? self.options
    let (known, invite) = try await memory.party(id)
    guard party?.invite.party != invite.party else { throw RejoinProblem.inIt }
    do {
      if known.isHost, known.port != nil, options.brokers.servers.isEmpty {
        do {
          try await reopen(invite, known, options)
        } catch let error as RelayError where error.kind == .addressInUse {
          try await joinKeptRelay(invite, known, options, instead: error)
        }
      } else {
        try await join(invite, brokers: options.brokers)
      }
    } catch PartyError.nobodyHere {
      await memory.update(known.id) { $0.ending = "nobody was online" }
      throw RejoinProblem.nobodyHere
    } catch let error as PartyError {
      guard case .transport = error else { throw error }
      throw RejoinProblem.unreachable(error)
    }
  }

  /// Joins a party over the relay that this machine kept for it, and that has the port.
  ///
  /// - Throws: `error` if another program has the port.
  private func joinKeptRelay(
    _ invite: Invite, _ known: RememberedParty, _ options: PartyHosting.Options,
    instead error: RelayError
  ) async throws {
    do {
      try await join(invite, brokers: options.brokers, port: known.port)
    } catch is PartyError {
      throw error
    }
  }

  /// Opens a party again whose relay is this program's. It uses the previous port, so that the other participants find
  /// it. It refuses without the creator's identity: another one would lose the party permanently.
  private func reopen(
    _ invite: Invite, _ known: RememberedParty, _ options: PartyHosting.Options
  ) async throws {
    let seat = await PartySeat.take(in: invite.party, from: memory.library)
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
    await leaveCompletely()
    try core.machine.membership.beginEntering()
    defer { core.machine.membership.enteringFailed() }
    var options = options
    // The other participants look for the relay at the previous port. An option has priority.
    if options.port ?? 0 == 0 { options.port = known.port }
    events.send(.notice("Opening the party again, and looking for the others…"))
    let list = known.playlist.flatMap { try? JSONDecoder().decode(Playlist.self, from: $0) }
    try await host(founding, seat, options, returningTo: invite, list)
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
