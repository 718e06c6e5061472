import Testing
import Timekeeping

@testable import GroupActivities

/// The choice of a relay among those of a party.
@Suite("The choice of a relay")
struct RelayChoiceTests {
  private static let start = HostTime(nanoseconds: 0)

  private static func route(
    _ number: UInt64, isPresent: Bool = true, isReached: Bool = true
  ) -> RelayRoute {
    let addresses = [Invite.Address(host: "10.0.0.\(number)", port: 4222)!]
    return RelayRoute(
      owner: id(number), addresses: addresses, reached: isReached ? addresses : [],
      isPresent: isPresent)
  }

  private static func id(_ number: UInt64) -> Participant.ID {
    Participant.ID(high: 0, low: number)
  }

  private var choice: RelayChoice {
    var choice = RelayChoice()
    choice.relaysChanged(to: [Self.route(1), Self.route(2, isPresent: false), Self.route(3)])
    return choice
  }

  @Test(
    "After a loss the relays are tried in their order, and only present owners' have a head start")
  func attempts() {
    var choice = choice
    let attempts = choice.attempts(at: Self.start)
    #expect(attempts.map(\.route.owner) == [Self.id(1), Self.id(2), Self.id(3)])
    #expect(attempts.map(\.delay) == [.zero, RelayChoice.headStart, RelayChoice.headStart])
  }

  @Test("A better relay than the one in use is looked for, and none than the best")
  func better() {
    var choice = choice
    #expect(choice.better(at: Self.start).isEmpty, "without a connection, all are tried")
    choice.connected(to: Self.id(3))
    #expect(choice.better(at: Self.start).map(\.route.owner) == [Self.id(1), Self.id(2)])
    choice.connected(to: Self.id(1))
    #expect(choice.better(at: Self.start).isEmpty)
    choice.connected(to: nil)
    #expect(
      choice.better(at: Self.start).count == 3, "an unknown relay is worse than each known one")
    choice.linkLost()
    #expect(choice.better(at: Self.start).isEmpty)
  }

  @Test("Worse relays are visited while their owners are silent")
  func visits() {
    var choice = choice
    #expect(choice.visits(at: Self.start).isEmpty, "without a connection, all are tried")
    choice.connected(to: Self.id(1))
    #expect(choice.visits(at: Self.start).map(\.route.owner) == [Self.id(2)])
    choice.connected(to: Self.id(3))
    #expect(choice.visits(at: Self.start).isEmpty, "the better ones are used instead")
    choice.connected(to: nil)
    #expect(choice.visits(at: Self.start).isEmpty)
  }

  @Test("A relay that stops isn't an alternative to itself")
  func alternatives() {
    var choice = choice
    choice.connected(to: Self.id(1))
    let alternatives = choice.alternatives(at: Self.start)
    #expect(alternatives.map(\.route.owner) == [Self.id(2), Self.id(3)])
  }

  @Test(
    "Better and silent relays that were never reached are tried once, then after pauses that double"
  )
  func unreached() {
    var choice = RelayChoice()
    choice.relaysChanged(to: [
      Self.route(1, isReached: false), Self.route(2),
      Self.route(3, isPresent: false, isReached: false),
    ])
    choice.connected(to: Self.id(2))
    var tries: [UInt64: [Int]] = [:]
    for second in 0..<100 {
      let now = Self.start + .seconds(second)
      for (route, _) in choice.better(at: now) + choice.visits(at: now) {
        tries[route.owner.low, default: []].append(second)
      }
    }
    #expect(tries == [1: [0, 10, 30, 70], 3: [0, 10, 30, 70]])
    #expect(!choice.isSettled)
  }

  @Test("Nothing is looked for at the best relay while no owner of another one is silent")
  func settled() {
    var choice = RelayChoice()
    choice.relaysChanged(to: [Self.route(1), Self.route(2)])
    #expect(!choice.isSettled)
    choice.connected(to: Self.id(2))
    #expect(!choice.isSettled)
    choice.connected(to: Self.id(1))
    #expect(choice.isSettled)
    choice.relaysChanged(to: [Self.route(1), Self.route(2, isPresent: false)])
    #expect(!choice.isSettled)
  }

  @Test(
    "After a loss a newcomer that has reached nobody's relay tries all at once, then again after pauses that double"
  )
  func newcomer() {
    var choice = RelayChoice()
    choice.relaysChanged(to: [Self.route(1), Self.route(2, isReached: false)])
    func attempts(_ seconds: Int) -> [UInt64] {
      choice.attempts(at: Self.start + .seconds(seconds)).map(\.route.owner.low)
    }
    let tries = (0..<600).filter { attempts($0) == [1, 2] }
    #expect(tries == [0, 10, 30, 70, 150, 310])
  }

  @Test("Of a reached relay only the address counts at which it was reached")
  func claimedAddresses() throws {
    let (reached, claimed) = (
      try #require(Invite.Address("10.0.0.1:4222")), try #require(Invite.Address("192.0.2.1:22"))
    )
    var choice = RelayChoice()
    choice.relaysChanged(to: [
      RelayRoute(
        owner: Self.id(1), addresses: [claimed, reached], reached: [reached], isPresent: true)
    ])
    let attempts = (0..<2).map { second in
      choice.attempts(at: Self.start + .seconds(second)).map(\.route.addresses)
    }
    #expect(attempts == [[[claimed, reached]], [[reached]]])
  }

  @Test("Claims that change each second cost eight connections, then one in five seconds")
  func budget() {
    var trials = RelayTrials()
    var count = 0
    for second in 0..<100 {
      let claims = (0..<8).map { owner in
        (0..<4).map { Invite.Address(host: "192.0.\(second).\(4 * owner + $0)", port: 22)! }
      }
      let due = trials.due(claims, at: Self.start + .seconds(second))
      if second == 0 { #expect(due == claims.map { $0[0] }, "the best address of each") }
      count += due.count
    }
    #expect(count == 8 + 99 / 5)
  }

  @Test("The owner of a relay is known by its address")
  func owner() {
    #expect(choice.owner(at: "10.0.0.3:4222") == Self.id(3))
    #expect(choice.owner(at: "10.0.0.4:4222") == nil)
  }
}

/// The order of a party's relays.
@Suite("The ranking of relays")
struct RelayRankingTests {
  private func offer(
    _ number: UInt64, joinedAt: Int64, reach: RelayReach = .everybody, isCreators: Bool = false
  ) -> RelayOffer {
    RelayOffer(
      owner: Participant.ID(high: 0, low: number), addresses: [], isCreators: isCreators,
      isPresent: true, isKept: false, reached: [], reach: reach,
      joinedAt: joinedAt)
  }

  @Test("The creator's relay comes first, then the most reached, then the earliest arrival")
  func order() {
    let ranked = RelayRanking.ranked([
      offer(5, joinedAt: 9), offer(4, joinedAt: 9), offer(3, joinedAt: 2, reach: .some),
      offer(2, joinedAt: 7), offer(1, joinedAt: 99, reach: .nobody, isCreators: true),
    ])
    #expect(ranked.map(\.owner.low) == [1, 2, 4, 5, 3])
  }

  @Test("A party uses eight relays at most")
  func limit() {
    let offers = (0..<20).map { offer($0, joinedAt: Int64($0)) }
    #expect(RelayRanking.ranked(offers.shuffled()).map(\.owner.low) == Array(0..<8))
  }

  @Test("The share of the participants that reach a relay falls only after a while")
  func patience() {
    let start = HostTime(nanoseconds: 0)
    var state = StandbyState()
    state.offer([Invite.Address(host: "10.0.0.1", port: 4222)!])
    func reach() -> RelayReach { state.report.reach }
    state.counted(2, of: 2, at: start)
    #expect(reach() == .everybody)
    // A newcomer hasn't tried yet.
    state.counted(2, of: 3, at: start + .seconds(1))
    #expect(reach() == .everybody)
    state.counted(3, of: 3, at: start + .seconds(5))
    state.counted(3, of: 4, at: start + .seconds(6))
    state.counted(3, of: 4, at: start + .seconds(15))
    #expect(reach() == .everybody)
    state.counted(3, of: 4, at: start + .seconds(16))
    #expect(reach() == .most)
  }

  @Test(
    "All members rank the relays alike, and drop that of a member that left, unless it is left behind and was reached",
    arguments: [(false, true), (true, false), (true, true)])
  func agreement(keepsRelay: Bool, isReached: Bool) {
    var table = Gathering.gathered("Ana", "Ben", "Chi")
    table.run(for: .seconds(3))
    for index in 0..<3 {
      table.act(index) {
        $0.offerRelay(at: [Invite.Address(host: "10.0.0.\(index)", port: 4222)!], now: $1)
      }
    }
    table.run(for: .seconds(3))
    func relays() -> [[Participant.ID]] {
      (0..<3).map { index in
        _ = table.members[index].machine.takeRelayNews()
        return table.members[index].machine.standby.relays.map(\.owner)
      }
    }
    let all = relays()
    #expect(all[0].count == 3 && all[0].first == table.members[0].id)
    #expect(all.allSatisfy { $0 == all[0] })
    for index in 1..<3 where isReached {
      for offer in table.members[index].machine.standby.relays where !offer.isReached {
        table.act(index) { $0.relayReached(offer.owner, at: offer.addresses[0], now: $1) }
      }
    }
    table.leave(0, keepsRelay: keepsRelay)
    table.run(for: .seconds(2))
    let isKept = keepsRelay && isReached
    #expect(relays()[1] == Array(all[0].dropFirst(isKept ? 0 : 1)))
    let marks = table.members[1].machine.standby.relays.map(\.isKept)
    #expect(marks == (isKept ? [true] : []) + [false, false])
  }

  @Test(
    "A newcomer knows the relays when it has joined, before their owners' next beacons",
    arguments: 0..<20)
  func newcomer(evening: UInt64) {
    var table = Gathering("Ana", "Ben", "Chi", evening: evening)
    table.arrive(0)
    table.run(for: .seconds(1))
    table.arrive(1)
    table.run(for: .seconds(3))
    for index in 0..<2 {
      table.act(index) {
        $0.offerRelay(at: [Invite.Address(host: "10.0.0.\(index)", port: 4222)!], now: $1)
      }
    }
    table.run(for: .seconds(5))
    table.arrive(2)
    while table.members[2].machine.joinedAt == nil { table.run(for: .milliseconds(5)) }
    _ = table.members[2].machine.takeRelayNews()
    let known = table.members[2].machine.standby.relays.map(\.owner)
    #expect(known == [table.members[0].id, table.members[1].id])
  }

  @Test("An offer survives the wire, and a hostile one is refused")
  func wire() throws {
    let report = StandbyReport(
      addresses: [
        Invite.Address(host: "192.0.2.1", port: 62846)!, Invite.Address(host: "fe80::1", port: 1)!,
      ], reach: .most, reached: [1, .max])
    #expect(try StandbyReport(binary: report.binary) == report)
    let named = StandbyReport(addresses: [Invite.Address(host: "attacker.example", port: 1)!])
    #expect(try StandbyReport(binary: named.binary).addresses == [], "nobody looks up a name")
    let tooMany: [UInt8] = [5] + Array(repeating: [1, 97, 1], count: 5).flatMap { $0 } + [0, 0]
    let noPort: [UInt8] = [1, 1, 97, 0, 0, 0]
    let controlCharacter: [UInt8] = [1, 1, 10, 1, 0, 0]
    let unknownReach: [UInt8] = [0, 4, 0]
    for bytes in [tooMany, noPort, controlCharacter, unknownReach] {
      #expect(throws: WireError.malformed, "\(bytes)") { try StandbyReport(binary: bytes) }
    }
  }
}

/// Doubts about relays on which everybody is silent.
@Suite("Doubts about relays")
struct RelayDoubtsTests {
  private static let start = HostTime(nanoseconds: 0)
  private let addresses = (0..<4).map { Invite.Address(host: "10.0.0.\($0)", port: 4222)! }

  /// Uses a relay from one second to another, in which the others are silent or not.
  private func use(
    _ relay: Int, from: Int, until: Int, isAlone: Bool, _ doubts: inout RelayDoubts
  ) {
    doubts.linkLeads(to: addresses[relay])
    for second in from..<until {
      _ = doubts.looked(isAlone: isAlone, at: Self.start + .seconds(second))
    }
  }

  private func doubted(_ doubts: RelayDoubts) -> [Int] {
    addresses.indices.filter { doubts.isDoubted(addresses[$0]) }
  }

  @Test(
    "A relay without a sign of life is doubted for ten minutes if somebody is heard at the next one"
  )
  func confirmed() {
    var doubts = RelayDoubts()
    use(0, from: 0, until: 2, isAlone: true, &doubts)
    #expect(doubted(doubts) == [])
    use(0, from: 2, until: 10, isAlone: true, &doubts)
    #expect(doubted(doubts) == [0])
    use(1, from: 10, until: 600, isAlone: false, &doubts)
    #expect(doubted(doubts) == [0])
    use(1, from: 600, until: 620, isAlone: false, &doubts)
    #expect(doubted(doubts) == [])
  }

  @Test("Several such relays in a row stay doubted")
  func severalRelays() {
    var doubts = RelayDoubts()
    for relay in 0..<3 {
      use(relay, from: 8 * relay, until: 8 * relay + 8, isAlone: true, &doubts)
    }
    use(3, from: 24, until: 60, isAlone: false, &doubts)
    #expect(doubted(doubts) == [0, 1, 2])
  }

  @Test("A relay isn't to blame if nobody is heard elsewhere either")
  func alone() {
    var doubts = RelayDoubts()
    use(0, from: 0, until: 5, isAlone: true, &doubts)
    use(1, from: 5, until: 40, isAlone: true, &doubts)
    #expect(doubted(doubts) == [0, 1])
    // A participant returns, for whatever reason.
    use(1, from: 40, until: 41, isAlone: false, &doubts)
    #expect(doubted(doubts) == [])
  }

  @Test("When those are gone too who were heard instead, a doubted relay counts again")
  func goneAgain() {
    var doubts = RelayDoubts()
    use(0, from: 0, until: 5, isAlone: true, &doubts)
    use(1, from: 5, until: 20, isAlone: false, &doubts)
    use(1, from: 20, until: 30, isAlone: true, &doubts)
    #expect(doubted(doubts) == [1])
  }
}
