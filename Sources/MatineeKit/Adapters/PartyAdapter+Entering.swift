import Doors
import Foundation
import GroupActivities
import Logging
import MediaLibrary
import NATSTransport
import Relay
import Screening
import WatchTogether

/// Opening a party, joining one, and returning to one.
extension PartyAdapter {
  /// A party of earlier runs that can be entered again.
  enum Recalled {
    /// A party of others, or one without this program's relay.
    case other(Invite, RememberedParty)
    /// A party with this program's relay.
    case own(Invite, RememberedParty, Party.Founding, PartySeat)
  }

  /// - Parameter recalled: the party of earlier runs that is entered again; nil for none.
  func enter(_ entrance: Entrance, _ recalled: Recalled?) async throws -> EffectAnswer {
    switch entrance {
    case .host:
      let founding = Party.Founding()
      let seat = PartySeat(founding: founding, folder: memory.folder)
      return try await host(founding, seat, options, returningTo: nil)
    case .room: return try await enterRoom()
    case .join(let invite): try await join(invite)
    case .rejoin:
      guard let recalled else { throw RejoinProblem.unknown }
      return try await rejoin(recalled)
    }
    return .done
  }

  /// - Parameters:
  ///   - known: the remembered invite, for a return to a party in which others may be; nil for a new party.
  ///   - list: the remembered films, for a return to a party that everybody has left.
  private func host(
    _ founding: Party.Founding, _ seat: PartySeat, _ options: PartyHosting.Options,
    returningTo known: Invite?, _ list: Playlist? = nil
  ) async throws -> EffectAnswer {
    var syncplay: SyncplayDoor?
    if let address = options.syncplay { syncplay = try await listenForSyncplay(on: address) }
    let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
    recallName(in: seat)
    do {
      let (party, isEmpty) = try await open(
        founding, on: hosting, transport, returningTo: known, policyLog: seat.policyLog)
      events.send(.hosting(.init(party.invite, hosting.reach)))
      await enter(party, as: seat, hosting: hosting)
      if let syncplay { await open(syncplay, in: party) }
      await openRoom(in: party)
      // Rules that still hold from an earlier run are not set again.
      let rules = await party.rules
      if options.control != .everyone, options.control != rules.control {
        try await party.amend(.control(options.control))
      }
      if options.waiting != .everyone, options.waiting != rules.waiting {
        try await party.amend(.waiting(options.waiting))
      }
      await remember(party, as: seat, isHost: true, port: hosting.port)
      return EffectAnswer([.party(.hosted(isEmpty: isEmpty, remembered: list))])
    } catch {
      await hosting.stop()
      throw error
    }
  }

  private func enterRoom() async throws -> EffectAnswer {
    let founding = Party.Founding()
    let seat = PartySeat(founding: founding, folder: memory.folder)
    let (hosting, transport) = try await PartyHosting.start(.privately, founding: founding)
    recallName(in: seat)
    do {
      let (party, isEmpty) = try await open(
        founding, on: hosting, transport, returningTo: nil, policyLog: nil)
      await enter(party, as: seat, hosting: hosting)
      await openRoom(in: party)
      return EffectAnswer([.party(.hosted(isEmpty: isEmpty, remembered: nil))])
    } catch {
      await closeRoom()
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

  private func join(_ invite: Invite) async throws {
    let seat = await memory.seat(in: invite)
    recallName(in: seat)
    let party = try await Party.join(
      invite: invite, as: seat.identity, name: name, policyLog: seat.policyLog,
      through: options.brokers.configuration, logger: .ofTransport)
    await remember(party, as: seat, isHost: seat.identity.id == invite.party, port: nil)
    await enter(party, as: seat, hosting: nil)
  }

  // MARK: - Returning

  /// Finds a party of earlier runs. A party with this program's relay is refused without its creator's identity: another
  /// one would lose the party permanently.
  ///
  /// - Parameter id: the party's id; nil for the last party.
  /// - Throws: an error with the reason and a suggestion.
  func recall(_ id: String?) async throws -> Recalled {
    let (known, invite) = try await memory.party(id)
    guard party?.invite.party != invite.party else { throw RejoinProblem.inIt }
    guard known.isHost, known.port != nil, options.brokers.servers.isEmpty else {
      return .other(invite, known)
    }
    let seat = await PartySeat.take(in: invite.party, from: memory.library)
    switch seat.memory {
    case .kept: break
    case .elsewhere: throw RejoinProblem.open
    case .off, .empty: throw RejoinProblem.unknown
    case .unreadable(let reason): throw RejoinProblem.unreadable(reason)
    }
    guard let founding = Party.Founding(reopening: invite, as: seat.identity) else {
      throw RejoinProblem.unreadable("The saved identity doesn't match")
    }
    return .own(invite, known, founding, seat)
  }

  /// Returns to a party as the same participant. A party with this program's relay is opened again.
  private func rejoin(_ recalled: Recalled) async throws -> EffectAnswer {
    switch recalled {
    case .other(let invite, let known):
      try await explaining(known) { try await self.join(invite) }
      return .done
    case .own(let invite, let known, let founding, let seat):
      return try await explaining(known) {
        do {
          return try await self.reopen(invite, known, founding, seat)
        } catch let error as RelayError where error.kind == .addressInUse {
          return try await self.joinKeptRelay(invite, known, seat, instead: error)
        }
      }
    }
  }

  private func explaining<Value>(
    _ known: RememberedParty, _ body: @ScreeningActor () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
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
  /// - Throws: `busy` if another program has the port.
  private func joinKeptRelay(
    _ invite: Invite, _ known: RememberedParty, _ seat: PartySeat, instead busy: RelayError
  ) async throws -> EffectAnswer {
    recallName(in: seat)
    do throws(PartyError) {
      let party = try await Party.join(
        invite: invite, as: seat.identity, name: name, policyLog: seat.policyLog,
        through: options.brokers.configuration, logger: .ofTransport)
      await remember(party, as: seat, isHost: true, port: known.port)
      await enter(party, as: seat, hosting: nil)
    } catch {
      throw busy
    }
    return .done
  }

  /// Opens a party again whose relay is this program's. It uses the previous port, so that the other participants find
  /// it.
  private func reopen(
    _ invite: Invite, _ known: RememberedParty, _ founding: Party.Founding, _ seat: PartySeat
  ) async throws -> EffectAnswer {
    var options = options
    // The other participants look for the relay at the previous port. An option has priority.
    if options.port ?? 0 == 0 { options.port = known.port }
    events.send(.notice("Opening the party again, and looking for everyone…"))
    let list = known.playlist.flatMap { try? JSONDecoder().decode(Playlist.self, from: $0) }
    return try await host(founding, seat, options, returningTo: invite, list)
  }
}
