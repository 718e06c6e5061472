import BrokerTesting
import Foundation
import ProcessTesting
import Testing

/// Four programs on the three nodes of a real cluster, with the shipped configuration.
@Suite("A party on a cluster", .serialized)
struct ClusterTests {
  /// The time within which a silent node has to be noticed, on such a machine.
  private static let noticeLimit = Duration.seconds(4)
  /// The limit for a player's distance from the line on which all began, beyond plain mpv's
  /// distance from its own line, in milliseconds (`make bench-cluster`).
  private static let stepLimit = 20.0

  private func check(_ recoveries: [ClusterParty.Recovery], _ what: String) {
    for recovery in recoveries {
      if Measurement.isWanted { #expect(recovery.noticed < Self.noticeLimit) }
      print("cluster: node \(what), \(recovery)")
    }
  }

  @Test("A party survives outages of any nodes, in step, without a lost or doubled message")
  func outages() async throws {
    try await NATSCluster.run { cluster in
      let party = try await ClusterParty.begin(on: cluster)
      #expect(party.member("Ben").server == cluster.nodes[1].address)
      #expect(party.member("Chi").server == cluster.nodes[2].address)
      try await party.chat { check(try await party.kill(try party.node(of: "Ben")), "killed") }
      try await party.chat { check(try await party.kill(try party.node(of: "Ana")), "killed") }
      try await party.chat { check(try await party.freeze(try party.node(of: "Chi")), "frozen") }
      try await party.chat {
        let last = try party.node(of: "Dee")
        for node in party.cluster.nodes where node !== last { await node.kill() }
      }
      try await party.chat { try await party.stopAll() }

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
}
