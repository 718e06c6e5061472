import Doors
import Foundation
import GroupActivities
import NATSTransport
import Reachability
import Relay
import Screening

/// Friends with a browser.
extension PartyAdapter {
  /// Keeps a door open; nil for none.
  func keep(_ wanted: KeptDoor?) async throws {
    guard let party, let wanted else { return await door.close() }
    await room?.show(wanted.shownFilm)
    try await door.keep(wanted, in: party, waysToRelay())
  }

  /// The guests' ways through a relay; nil for the party's own addresses.
  private func waysToRelay() -> @Sendable (_ server: String?) -> Door.Ways {
    let (hosting, brokers) = (hosting, options.brokers)
    return { server in
      Door.Ways { key in
        if let own = hosting?.transport(for: key) { return own }
        var configuration = brokers.configuration
        if let address = server.flatMap({ try? ServerAddress($0) }) {
          configuration.servers = [address]
        }
        return NATSTransport(configuration: configuration, admission: key, logger: .ofTransport)
      }
    }
  }

  // MARK: - Syncplay

  /// Brings the people of the room elsewhere into the party.
  ///
  /// - Parameter leads: whether the room goes to the party's position, instead of the party to the room's.
  func openRoom(in party: Party, leads: Bool = false) async {
    await room?.offer(roomInvite)
    await room?.open(
      in: .init(
        invite: party.invite, keeper: await party.localParticipant,
        ways: waysToRelay()(door.server),
        coordinator: coordinator
      ) { [weak self] in
        await self?.handle($0)
      }, leads: leads)
  }

  private func handle(_ report: RoomDoor.Report) {
    switch report {
    case .notice(let text): events.send(.notice(text))
    case .warning(let text): events.send(.warning(text))
    case .film(let name, let by): runner.send(.party(.roomListed(name, by: by)))
    case .operators(let ids): runner.send(.party(.roomOperators(ids)))
    case .invite(let invite, let by): runner.send(.party(.roomInvited(invite, by: by)))
    }
  }

  /// Begins to listen for friends with Syncplay.
  ///
  /// - Throws: the reason why the port can't be had, before a party is opened.
  func listenForSyncplay(on address: ListenAddress) async throws -> SyncplayDoor {
    let door = SyncplayDoor(
      on: address.host, certificate: options.certificate.map { RenewedCertificate($0).source })
    do {
      try await door.listen(port: address.port)
      return door
    } catch {
      throw SyncplayProblem(address: "\(address.host):\(address.port)", reason: "\(error)")
    }
  }

  /// Opens the door for friends with Syncplay.
  func open(_ syncplay: SyncplayDoor, in party: Party) async {
    await door.open(syncplay, to: party, through: waysToRelay()(door.server))
    if let listing = self.syncplay { events.send(.listed(.syncplay(listing))) }
  }

  func openSyncplay(at address: ListenAddress?) async throws {
    guard let party else { throw PartyError.notJoined }
    if address == nil, let syncplay { return events.send(.listed(.syncplay(syncplay))) }
    await open(try await listenForSyncplay(on: address ?? .syncplay), in: party)
  }

  /// The open door for friends with Syncplay; nil for none.
  var syncplay: ScreeningEvent.Listing.Syncplay? {
    guard let syncplay = door.syncplay, let port = syncplay.port else { return nil }
    let reach = Reach(
      host: syncplay.host, port: port, interfaces: InterfaceAddress.all(), mapping: nil)
    return ScreeningEvent.Listing.Syncplay(
      addresses: reach.places.map(\.address.text),
      password: syncplay.password, isEncrypted: syncplay.offersTLS)
  }

  /// Makes a link for one friend, and shows the ways to pass it on.
  func makePage(_ path: String?) async throws {
    guard let invite else { throw PartyError.notJoined }
    let link = PageLink(to: invite)
    let brokers = options.brokers.servers.compactMap(\.inPage)
    if let path {
      let addresses = brokers.isEmpty ? invite.addresses : brokers
      try InviteFile.write(PageFile.file(with: link, at: addresses), to: path)
    }
    var places = hosting?.port == nil ? [] : reach?.places ?? []
    if await brokersServePage(of: invite) {
      places = brokers.map { Reach.Place(kind: .relay, address: $0) }
    }
    let page = ScreeningEvent.Listing.Page(
      file: path,
      links: places.map { place in
        ScreeningEvent.Listing.Page.Link(
          url: PageFile.url(of: link, at: place.address), kind: place.kind.words,
          isSecure: place.address.security != nil)
      })
    events.send(.listed(.page(page)))
  }

  /// Asks a relay of others whether it is one of Matinee's.
  private func brokersServePage(of invite: Invite) async -> Bool {
    guard !options.brokers.servers.isEmpty else { return false }
    let transport = NATSTransport(
      configuration: options.brokers.configuration,
      admission: PageLink.admission(invite.secret, invite.party), logger: .ofTransport)
    let isConnected = (try? await transport.connect()) != nil
    let servesPage = isConnected && transport.servesPage
    await transport.close()
    return servesPage
  }
}

/// The door that is open, brought to what is wanted one step at a time.
@ScreeningActor
final class PageDoor {
  private var door: Door?
  /// The door for friends with Syncplay; nil for none.
  private(set) var syncplay: SyncplayDoor?
  private var kept: KeptDoor?
  private var last: Task<Void, any Error>?

  func close() async {
    kept = nil
    let door = door.take()
    let syncplay = syncplay.take()
    _ = await last.take()?.result
    await door?.close()
    await syncplay?.close()
  }

  /// The relay that the party uses; nil before the first.
  var server: String? { kept?.server }

  /// Opens a door for friends with Syncplay, instead of an earlier one.
  func open(_ syncplay: SyncplayDoor, to party: Party, through ways: Door.Ways) async {
    await self.syncplay?.close()
    self.syncplay = syncplay
    await syncplay.open(
      to: party.invite, keeper: await party.localParticipant, film: kept?.shownFilm, through: ways
    ) {
      await party.participants.map(\.name)
    }
  }

  /// Returns the bits of film per second that go to each guest of the door.
  func uploadRates() async -> [Participant.ID: Double] { await door?.uploadRates() ?? [:] }

  /// - Parameter ways: the ways through a relay; nil for the party's own addresses.
  func keep(
    _ wanted: KeptDoor, in party: Party,
    _ ways: @escaping @Sendable (_ server: String?) -> Door.Ways
  ) async throws {
    let earlier = last
    let task = Task {
      _ = await earlier?.result
      try await self.change(to: wanted, in: party, ways)
    }
    last = task
    try await task.value
  }

  private func change(
    to wanted: KeptDoor, in party: Party, _ ways: @Sendable (_ server: String?) -> Door.Ways
  ) async throws {
    let film = wanted.shownFilm
    let before = kept
    kept = wanted
    if wanted.server == nil { kept?.server = before?.server }
    await syncplay?.show(film, through: ways(kept?.server))
    guard let rank = wanted.rank else {
      await door.take()?.close()
      return
    }
    guard let door else {
      let door = Door(
        to: party.invite, keeper: await party.localParticipant, rank: rank, film: film,
        through: ways(wanted.server))
      self.door = door
      do {
        return try await door.open()
      } catch {
        if self.door === door { self.door = nil }
        throw error
      }
    }
    await door.rank(rank)
    await door.show(film)
    guard let server = wanted.server, let earlier = before?.server, server != earlier else {
      return
    }
    try await door.move(through: ways(server))
  }
}

extension KeptDoor {
  /// The film in this program's player, for guests.
  fileprivate var shownFilm: DoorFilm? {
    film.map {
      // Guests of the door would see a copy with other times out of step.
      let isServed = !$0.isStream && $0.timeline?.isSame != false
      return DoorFilm(
        item: $0.item, path: isServed ? $0.location : nil, isOtherCopy: $0.isOtherCopy)
    }
  }
}

/// The reason why no door for Syncplay can be opened.
struct SyncplayProblem: Error, CustomStringConvertible {
  var address: String
  var reason: String
  var description: String { "Can't listen for Syncplay on \(address): \(reason)" }
}
