import GroupActivities
import Testing

@testable import Screening

@Suite("Leaving a party")
struct DepartureTests {
  private static let ana = Participant.ID(high: 1, low: 1)
  private static let ben = Participant.ID(high: 1, low: 2)
  private static let relay = OwnRelay(addresses: [], port: 62846, listensOn: "*")

  /// The host, whose program is the party's relay, with two others.
  private static func situation(
    _ body: (inout Departure.Situation) -> Void = { _ in }
  ) -> Departure.Situation {
    var situation = Departure.Situation()
    situation.isHost = true
    situation.isRelay = true
    situation.serving = relay
    situation.others = [ana, ben]
    body(&situation)
    return situation
  }

  private static func departure(
    _ body: (inout Departure.Situation) -> Void = { _ in }
  ) -> Departure { Departure(situation(body)) }

  @Test("Another relay takes over with its owner as host, and nothing is closed")
  func successor() {
    let departure = Self.departure { $0.successor = Self.ben }
    #expect(departure.newHost == Self.ben && departure.retires && departure.kept == nil)
    #expect(!departure.closes && !departure.closesForOthers)
    let guest = Self.departure { ($0.isHost, $0.successor) = (false, Self.ben) }
    #expect(guest.newHost == nil && guest.retires && !guest.closes)
  }

  @Test("Without another relay the party ends with this one, unless a process keeps it")
  func kept() {
    #expect(Self.departure().closes && Self.departure().closesForOthers)
    let kept = Self.departure { $0.keepsRelay = true }
    #expect(kept.kept == Self.relay && kept.newHost == Self.ana)
    #expect(!kept.closes && !kept.retires)
    // Nothing is kept that another relay makes needless.
    let needless = Self.departure { ($0.keepsRelay, $0.successor) = (true, Self.ben) }
    #expect(needless.kept == nil && needless.retires)
  }

  @Test("A party that ends with its host is closed, whatever relays there are")
  func endsWithHost() {
    let departure = Self.departure {
      ($0.lifetime, $0.successor, $0.keepsRelay) = (.endsWhenHostLeaves, Self.ben, true)
    }
    #expect(departure.closes && departure.kept == nil && !departure.retires)
    #expect(departure.newHost == nil)
  }

  @Test("Closing a party hands nothing over, and a party of one is closed for nobody")
  func closing() {
    let closing = Self.departure { ($0.isClosing, $0.successor) = (true, Self.ben) }
    #expect(closing.closes && closing.closesForOthers && closing.newHost == nil)
    let alone = Self.departure { ($0.others, $0.successor) = ([], Self.ben) }
    #expect(alone.closes && !alone.closesForOthers && !alone.retires)
  }

  @Test("A guest without a relay just leaves")
  func guest() {
    let departure = Self.departure {
      ($0.isHost, $0.isRelay, $0.serving, $0.successor) = (false, false, nil, Self.ana)
    }
    #expect(!departure.closes && departure.newHost == nil && departure.kept == nil)
  }

  @Test("The others lose the party with the last relay, or with a host who ends it")
  func losing() {
    func losing(_ body: (inout Departure.Situation) -> Void = { _ in }) -> Int {
      Departure.othersLosingParty(Self.situation(body))
    }
    #expect(losing() == 2)
    #expect(losing { $0.successor = Self.ben } == 0)
    #expect(losing { $0.keepsRelay = true } == 0)
    #expect(losing { ($0.successor, $0.lifetime) = (Self.ben, .endsWhenHostLeaves) } == 2)
    #expect(losing { $0.serving = nil } == 0)
    #expect(Departure.canKeepRelay(Self.situation()))
    #expect(!Departure.canKeepRelay(Self.situation { $0.successor = Self.ben }))
    #expect(!Departure.canKeepRelay(Self.situation { $0.lifetime = .endsWhenHostLeaves }))
  }
}
