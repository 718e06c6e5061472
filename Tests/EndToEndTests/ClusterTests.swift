import BrokerTesting
import Foundation
import ProcessTesting
import Testing

/// Four programs on the three nodes of a real cluster, with the shipped configuration.
@Suite("A party on a cluster", .serialized)
struct ClusterTests {
  /// The time within which a silent node has to be noticed, on such a machine.
  static let noticeLimit = Duration.seconds(4)
  /// The limit for a player's distance from the line on which all began, beyond plain mpv's
  /// distance from its own line, in milliseconds (`make bench-cluster`).
  static let stepLimit = 20.0

  /// Runs `body` with a party on three nodes, and checks the film and the chat.
  private func party(_ body: (ClusterParty) async throws -> Void) async throws {
    try await NATSCluster.run { cluster in
      let party = try await ClusterParty.begin(on: cluster)
      #expect(party.member("Ben").server == cluster.nodes[1].address)
      #expect(party.member("Chi").server == cluster.nodes[2].address)
      try await body(party)
      let tally = party.tally()
      #expect(tally.isPerfect, "\(tally)")
      let excursions = party.excursions()
      #expect(excursions.readings > 50)
      #expect(excursions.worst.count == 4)
      let farthest = excursions.worst.values.max() ?? .infinity
      if let plain = excursions.plain {
        print(
          "cluster: plain mpv \(plain) ms from its line, the party \(farthest / plain) times that")
        for (name, excursion) in excursions.worst {
          #expect(excursion - plain < Self.stepLimit, "\(name)")
        }
      }
      print(
        "cluster: \(tally); at most \(farthest) ms from the line, \(excursions.readings) readings each"
      )
      try await party.end()
    }
  }

  private func check(_ recoveries: [ClusterParty.Recovery], _ what: String) {
    for recovery in recoveries {
      if Measurement.isWanted { #expect(recovery.noticed < Self.noticeLimit) }
      print("cluster: node \(what), \(recovery)")
    }
  }

  @Test("A party survives outages of any nodes, in step, without a lost or doubled message")
  func outages() async throws {
    try await party { party in
      try await party.chat { check(try await party.kill(try party.node(of: "Ben")), "killed") }
      try await party.chat { check(try await party.kill(try party.node(of: "Ana")), "killed") }
      try await party.chat { check(try await party.freeze(try party.node(of: "Chi")), "frozen") }
      try await party.chat {
        let last = try party.node(of: "Dee")
        for node in party.cluster.nodes where node !== last { await node.kill() }
      }
      try await party.chat { try await party.stopAll() }
    }
  }

  @Test("A party doesn't notice that all nodes are restarted in turn")
  func rollingRestart() async throws {
    try await party { party in
      let start = ContinuousClock.now
      for node in party.cluster.nodes {
        // Longer than the clients take to move to another node.
        try await party.chat(120) { await node.retire() }
      }
      for member in party.members {
        #expect(member.process.history(of: "disconnected", since: start).isEmpty, "\(member.name)")
      }
    }
  }

  /// `OUTAGES=200 make test FILTER=oneAfterAnother`, with any number of outages.
  @Test(
    "A party survives one outage after another",
    .enabled(if: outageCount > 0, "only when OUTAGES says how many"))
  func oneAfterAnother() async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix(state: seed)
    print("cluster: \(Self.outageCount) outages, seed \(seed)")
    var left = Self.outageCount
    while left > 0 {
      try await party { party in
        // The film's duration is two minutes.
        for _ in 0..<min(left, 15) {
          left -= 1
          let nodes = party.cluster.nodes.shuffled(using: &random)
          switch Int.random(in: 0..<6, using: &random) {
          case 0, 1: try await party.chat { check(try await party.kill(nodes[0]), "killed") }
          case 2: try await party.chat { for node in nodes.prefix(2) { await node.kill() } }
          case 3: try await party.chat { try await party.stopAll() }
          default:
            try await party.chat { check(try await party.freeze(nodes[0]), "frozen") }
          }
        }
      }
    }
  }

  private static let outageCount =
    ProcessInfo.processInfo.environment["OUTAGES"].flatMap { Int($0) } ?? 0
}

/// A generator whose numbers follow from its seed (Steele, Lea, Flood, 2014).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
