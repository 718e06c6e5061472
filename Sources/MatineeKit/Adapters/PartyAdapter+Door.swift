import Doors
import Foundation
import GroupActivities
import NATSTransport
import Reachability
import Screening

/// Friends with a browser.
extension PartyAdapter {
  /// Keeps a door open; nil for none.
  func keep(_ wanted: KeptDoor?) async throws {
    guard let party, let wanted else { return await door.close() }
    let (hosting, brokers) = (hosting, options.brokers)
    try await door.keep(wanted, in: party) { server in
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
  private var kept: KeptDoor?
  private var last: Task<Void, any Error>?

  func close() async {
    kept = nil
    let door = door.take()
    _ = await last.take()?.result
    await door?.close()
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
    let film = wanted.film.map {
      DoorFilm(
        item: $0.item, path: $0.isStream ? nil : $0.location, isOtherCopy: $0.isOtherCopy)
    }
    let before = kept
    kept = wanted
    guard let door else {
      let door = Door(
        to: party.invite, keeper: await party.localParticipant, rank: wanted.rank, film: film,
        through: ways(wanted.server))
      self.door = door
      do {
        return try await door.open()
      } catch {
        if self.door === door { (self.door, kept) = (nil, nil) }
        throw error
      }
    }
    await door.rank(wanted.rank)
    await door.show(film)
    guard let server = wanted.server, let earlier = before?.server, server != earlier else {
      if wanted.server == nil { kept?.server = before?.server }
      return
    }
    try await door.move(through: ways(server))
  }
}
