import Concurrency
import Foundation
import GroupActivities
import Timekeeping

/// The machine of a door for pages: it admits pages by their links, opens and seals their messages, and ends the links of
/// pages that fall silent. It has no I/O and no clock.
struct DoorMachine: Sendable {
  enum Effect: Hashable, Sendable {
    case send([UInt8], to: PageID)
    /// A page came in; its participant joins the party.
    case enter(PageLink, name: String, plays: [String])
    /// The page of a guest was loaded again, or lost its connection: it needs everything again.
    case resume(PageLink.Number, plays: [String])
    case request(PageLink.Number, PageRequest)
    /// The page of a guest is gone.
    case leave(PageLink.Number)
  }

  /// A page that got an offer.
  private struct Visitor: Sendable {
    var link: PageLink
    var tab: String
    var channel: PageSeal.Channel
    var since: HostTime
  }

  private struct Guest: Sendable {
    var page: PageID
    var tab: String
    var channel: PageSeal.Channel
    var heard: HostTime
    var allowance: RateAllowance
  }

  let id: PageID
  private let invite: Invite
  private var visitors: [PageID: Visitor] = [:]
  private var guests: [PageLink.Number: Guest] = [:]
  private var hellos: RateAllowance
  private var random: any RandomNumberGenerator & Sendable
  /// The order in which pages choose this door: the lowest first.
  var rank = 0
  /// The name of the door's keeper.
  var keeper: String

  /// The guests of one door: each costs its keeper the film's bytes.
  static let guestLimit = 8
  private static let visitorLimit = 32
  /// The time that a page has to answer an offer.
  static let offerTime = Duration.seconds(10)
  /// The silence after which a page is gone. Hidden pages get a timer each second.
  static let silence = Duration.seconds(10)

  init(
    invite: Invite, keeper: String, random: any RandomNumberGenerator & Sendable, at now: HostTime
  ) {
    self.invite = invite
    self.keeper = keeper
    self.random = random
    id = PageID(using: &self.random)
    hellos = RateAllowance(perSecond: 10, burst: 40, at: now)
  }

  // MARK: - Events

  /// A page looks for a door.
  mutating func received(hello bytes: [UInt8], at now: HostTime) -> [Effect] {
    guard hellos.spend(1, at: now),
      let (link, hello) = PageSeal.openHello(bytes, { PageLink($0, to: invite) }),
      let page = PageID(hex: hello.page), hello.tab.utf8.count <= 64,
      let pageRandom = [UInt8](hex: hello.random), pageRandom.count == 32
    else { return [] }
    let own = [UInt8].random(32, using: &random)
    let refusal = refusal(of: link.number, tab: hello.tab)
    if refusal == nil, visitors[page] != nil || visitors.count < Self.visitorLimit {
      visitors[page] = Visitor(
        link: link, tab: hello.tab, channel: .init(link, page: pageRandom, door: own), since: now)
    }
    let offer = PageSeal.Offer(
      door: "\(id)", random: own.hex, rank: rank, keeper: keeper, refused: refusal)
    return [.send(PageSeal.seal(offer, by: link, for: page, using: &random), to: page)]
  }

  private func refusal(of number: PageLink.Number, tab: String) -> PageSeal.Offer.Refusal? {
    // One link is one participant, so that a removal ends it: a second browser doesn't share it.
    guard let guest = guests[number] else { return guests.count < Self.guestLimit ? nil : .full }
    return guest.tab == tab ? nil : .inUse
  }

  /// A page sent a frame to this door.
  mutating func received(frame bytes: [UInt8], at now: HostTime) -> [Effect] {
    let head = 1 + PageID.count
    guard bytes.count > head, bytes[0] == PageSeal.frameVersion,
      let page = PageID(bytes[1..<head])
    else { return [] }
    if let number = guests.first(where: { $0.value.page == page })?.key {
      return handle(bytes[head...], of: number, at: now)
    }
    guard var visitor = visitors[page],
      let request = Self.request(in: visitor.channel.open(bytes[head...])),
      case .enter(let name, let plays) = request
    else { return [] }
    visitors[page] = nil
    let number = visitor.link.number
    // Another browser may have come in since the offer.
    guard refusal(of: number, tab: visitor.tab) == nil else { return [] }
    let isBack = guests[number] != nil
    guests[number] = Guest(
      page: page, tab: visitor.tab, channel: visitor.channel, heard: now,
      allowance: RateAllowance(perSecond: 500, burst: 1000, at: now))
    return [
      isBack ? .resume(number, plays: plays) : .enter(visitor.link, name: name, plays: plays)
    ]
  }

  private mutating func handle(
    _ frame: ArraySlice<UInt8>, of number: PageLink.Number, at now: HostTime
  ) -> [Effect] {
    guard guests[number]?.allowance.spend(1, at: now) == true,
      let request = Self.request(in: guests[number]?.channel.open(frame))
    else { return [] }
    guests[number]?.heard = now
    guard request != .bye else {
      guests[number] = nil
      return [.leave(number)]
    }
    return [.request(number, request)]
  }

  private static func request(in text: [UInt8]?) -> PageRequest? {
    guard let text, text.first == 0, text.count <= PageRequest.limit else { return nil }
    return PageRequest(text.dropFirst())
  }

  // MARK: - To the pages

  /// Seals a message for a guest's page.
  ///
  /// - Returns: nothing for a guest whose page is gone.
  mutating func send(_ text: [UInt8], to number: PageLink.Number) -> [Effect] {
    guard let page = guests[number]?.page, let bytes = guests[number]?.channel.seal(text) else {
      return []
    }
    return [.send(bytes, to: page)]
  }

  /// The stay of a guest is over.
  mutating func ended(_ number: PageLink.Number) { guests[number] = nil }
}

extension DoorMachine: HostedMachine {
  var nextDeadline: HostTime? {
    (visitors.values.map { $0.since + Self.offerTime }
      + guests.values.map { $0.heard + Self.silence }).min()
  }

  mutating func timerFired(at now: HostTime) -> [Effect] {
    visitors = visitors.filter { now - $0.value.since < Self.offerTime }
    let silent = guests.filter { now - $0.value.heard >= Self.silence }.map(\.key)
    for number in silent { guests[number] = nil }
    return silent.map { .leave($0) }
  }
}
