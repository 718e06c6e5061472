import Testing
import Timekeeping

@testable import GroupActivities
@testable import Screening

@Suite("Relays that stand by")
struct StandbyMachineTests {
  private static let me = Participant.ID(high: 1, low: 1)
  private static let host = Participant.ID(high: 1, low: 2)
  private static let address = Invite.Address(host: "192.168.1.2", port: 62846)!
  private static let relay = OwnRelay(
    addresses: [Invite.Address(host: "192.168.1.9", port: 62850)!], port: 62850, listensOn: "*")
  private static let inUse = "192.168.1.2:62846"

  private static func time(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: 9_000_000_000 + Int64(seconds * 1e9))
  }

  private static func offer(
    by owner: Participant.ID = host, isPresent: Bool = true, isReached: Bool = false
  ) -> RelayOffer {
    RelayOffer(
      owner: owner, addresses: [address], isCreators: false, isPresent: isPresent, isKept: false,
      reached: isReached ? [address] : [], reach: .some, joinedAt: 0)
  }

  /// A guest's machine that has heard of these relays.
  private static func guest(
    _ offers: [RelayOffer], mayServe: Bool = true, among count: Int = 2
  ) -> Standby {
    var standby = Standby()
    var dice = RandomSource.seeded(3)
    _ = standby.entered(as: me, own: nil, mayServe: mayServe)
    standby.linkChanged(to: inUse, at: time(0))
    _ = standby.relaysChanged(to: offers, among: count, at: time(0), using: &dice)
    return standby
  }

  @Test("A guest offers one relay, once it knows another one, and only if it may")
  func serving() {
    var standby = Self.guest([Self.offer()])
    #expect(standby.timerFired(at: Self.time(0)).contains(.serve))
    #expect(!standby.timerFired(at: Self.time(9)).contains(.serve))
    var silent = Self.guest([Self.offer()], mayServe: false)
    #expect(!silent.timerFired(at: Self.time(9)).contains(.serve))
    var alone = Self.guest([])
    #expect(!alone.timerFired(at: Self.time(9)).contains(.serve))
    let many = (0..<Standby.relayLimit).map {
      Self.offer(by: Participant.ID(high: 2, low: UInt64($0)))
    }
    var crowded = Self.guest(many)
    #expect(!crowded.timerFired(at: Self.time(9)).contains(.serve))
  }

  @Test("Relays that this program hasn't reached are tried, while the link is up")
  func verifying() {
    var standby = Self.guest([Self.offer()], mayServe: false)
    #expect(
      standby.timerFired(at: Self.time(1)) == [.connect(Self.offer(), at: Self.address)])
    // The next attempt comes after a pause.
    #expect(standby.timerFired(at: Self.time(1.3)) == [])
    var reached = Self.guest([Self.offer(isReached: true)], mayServe: false)
    #expect(reached.nextDeadline == nil && reached.timerFired(at: Self.time(1)) == [])
    var offline = Self.guest([Self.offer()], mayServe: false)
    offline.linkChanged(to: nil, at: Self.time(0.1))
    #expect(offline.nextDeadline == nil && offline.timerFired(at: Self.time(1)) == [])
  }

  @Test("The relay that takes over was reached, and its owner is present")
  func successor() {
    #expect(Self.guest([Self.offer()]).successor == nil)
    #expect(Self.guest([Self.offer(isPresent: false, isReached: true)]).successor == nil)
    #expect(Self.guest([Self.offer(isReached: true)]).successor?.owner == Self.host)
    #expect(Self.guest([Self.offer(by: Self.me, isReached: true)]).successor == nil)
  }

  @Test("A bridge joins this relay's clients with the relay in use, for as long as both need it")
  func bridging() {
    var standby = Self.guest([Self.offer(isReached: true)], mayServe: false)
    #expect(standby.served(Self.relay, at: Self.time(1)) == [.offer(Self.relay)])
    let due = Self.time(1) + Standby.bridgePace
    #expect(standby.nextDeadline == due)
    #expect(standby.timerFired(at: due).contains(.countClients))
    // A connection that only verifies the relay is over by the second look.
    #expect(standby.clients(1) == [])
    #expect(standby.clients(1) == [.bridge(to: Self.inUse)])
    #expect(standby.clients(1) == [])
    standby.linkChanged(to: "192.168.1.3:62846", at: Self.time(3))
    #expect(standby.clients(1) == [.endBridge, .bridge(to: "192.168.1.3:62846")])
    standby.bridgeFailed(to: "192.168.1.3:62846")
    #expect(standby.clients(1) == [.bridge(to: "192.168.1.3:62846")])
    #expect(standby.clients(0) == [.endBridge])
  }

  @Test("A relay that the party uses needs no bridge, and others lose it with this program")
  func inUse() {
    var standby = Self.guest([Self.offer(isReached: true)])
    _ = standby.served(Self.relay, at: Self.time(1))
    #expect(standby.serving == nil && !standby.isInUse)
    standby.linkChanged(to: "127.0.0.1:62850", at: Self.time(2))
    #expect(standby.isInUse && standby.serving == Self.relay && !standby.isPartysRelay)
    #expect(standby.clients(2) == [] && standby.clients(2) == [])
  }

  @Test("The host's relay is the party's, and it offers each new address")
  func host() {
    var standby = Standby()
    #expect(
      standby.entered(as: Self.me, own: Self.relay, mayServe: true) == [.offer(Self.relay)])
    #expect(standby.isPartysRelay && standby.serving == Self.relay)
    var moved = Self.relay
    moved.addresses = [Self.address]
    #expect(standby.moved(to: moved) == [.offer(moved)])
  }
}
