import BrokerTesting
import GroupActivities
import Testing
import Timekeeping

@testable import Relay

/// A relay's connections, which strangers try to occupy.
@Suite("A broker in a crowd")
struct BrokerCrowdTests {
  private let greeting = Greeting(key: AdmissionKey())

  @Test(
    "Connections without subscriptions make room, from one machine or from many networks",
    arguments: [false, true])
  func idleKeys(isFromOneAddress: Bool) throws {
    var harness = BrokerHarness(.anyKey) {
      $0.connections = 40
      $0.connectionsPerAddress = 30
      $0.connectionsForKnownParties = 4
    }
    let member = try harness.participant(greeting, from: "192.0.2.9")
    var idle: [ConnectionID] = []
    for number in 0..<60 {
      let address = isFromOneAddress ? "192.0.2.1" : "2001:db8:0:\(number)::1"
      idle.append(try harness.member(Greeting(key: AdmissionKey()), from: address))
    }
    #expect(harness.broker.provenCount == (isFromOneAddress ? 31 : 36))
    let early = try harness.participant(Greeting(key: AdmissionKey()), from: "192.0.2.1")
    #expect(
      harness.ended.contains(early), "those that connected just now may be about to subscribe")
    harness.pass(.seconds(5))
    let friends = try (0..<10).map { number in
      // Also from the attacker's own address: others may share it.
      try harness.participant(
        Greeting(key: AdmissionKey()), from: number % 2 == 0 ? "192.0.2.1" : "198.51.100.1")
    }
    for friend in friends { #expect(!harness.ended.contains(friend)) }
    #expect(!harness.ended.contains(member))
    #expect(idle.count { !harness.ended.contains($0) } < 30)
    // Once they are gone, no connection with a subscription makes room.
    for number in 0..<60 {
      harness.pass(.seconds(5))
      _ = try harness.participant(
        Greeting(key: AdmissionKey()), from: "2001:db8:1:\(number)::1", answering: true)
    }
    for friend in friends + [member] { #expect(!harness.ended.contains(friend)) }
    let known = try harness.participant(greeting, from: "203.0.113.1")
    #expect(!harness.ended.contains(known), "parties with a member still grow")
  }

  @Test("A connection without its last subscription makes room again")
  func idleAgain() throws {
    var harness = BrokerHarness(.anyKey) { $0.connections = 3 }
    let quiet = try harness.participant(greeting)
    _ = try harness.participant(Greeting(key: AdmissionKey()))
    _ = try harness.participant(Greeting(key: AdmissionKey()))
    harness.pass(.seconds(5))
    harness.say("PONG\r\n", quiet)
    let first = try harness.participant(Greeting(key: AdmissionKey()))
    #expect(harness.ended == [first])
    harness.say("UNSUB 1\r\n", quiet)
    let second = try harness.participant(Greeting(key: AdmissionKey()))
    #expect(harness.ended == [first, quiet])
    #expect(!harness.ended.contains(second))
    #expect(harness.broker.idle.count == 0)
  }

  @Test(
    "A newcomer a quarter of a second away is admitted while thousands of strangers connect each second",
    arguments: [
      (perSecond: 3000, addresses: 3, isNeighbour: false, isAdmitted: true),
      (perSecond: 3000, addresses: 40, isNeighbour: false, isAdmitted: true),
      // Behind one address with the attacker it has the time that 256 connections take to come.
      (perSecond: 1000, addresses: 1, isNeighbour: true, isAdmitted: true),
      (perSecond: 3000, addresses: 3, isNeighbour: true, isAdmitted: true),
      (perSecond: 3000, addresses: 1, isNeighbour: true, isAdmitted: false),
    ])
  func farNewcomer(
    perSecond: Int, addresses: Int, isNeighbour: Bool, isAdmitted: Bool
  ) throws {
    var harness = BrokerHarness(.anyKey) { $0 = .ofPublicRelay }
    var strangers = 0
    func flood(_ harness: inout BrokerHarness, for duration: Duration) {
      let end = harness.now + duration
      while harness.now < end {
        harness.pass(.milliseconds(10))
        for _ in 0..<perSecond / 100 {
          _ = harness.open(from: "192.0.2.\(1 + strangers % addresses)")
          strangers += 1
        }
      }
    }
    flood(&harness, for: .seconds(3))
    for _ in 0..<5 {
      let id = harness.open(from: isNeighbour ? "192.0.2.1" : "198.51.100.1")
      flood(&harness, for: .milliseconds(250))
      harness.say(try Greeting(key: AdmissionKey()).line(nonce: "nonce"), id)
      #expect(harness.broker.connections.contains(id) == isAdmitted)
    }
    #expect(harness.broker.statistics.unprovenConnections <= 1024)
  }
}
