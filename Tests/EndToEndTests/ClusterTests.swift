import BrokerTesting
import Foundation
import Testing

/// Four programs on the three nodes of a real cluster, with the configuration that is shipped.
@Suite("A party on a cluster", .serialized)
struct ClusterTests {
  /// The notes' measure, of which two seconds are the pings'.
  static let noticeLimit = Duration.seconds(4)
  /// In milliseconds.
  static let stepLimit = 20.0

  @Test("survives whatever becomes of the nodes: in step, with nothing lost and nothing twice")
  func outages() async throws {
    try await NATSCluster.run { cluster in
      let party = try await ClusterParty.begin(on: cluster)
      #expect(party.member("Ben").server == cluster.nodes[1].address)
      #expect(party.member("Chi").server == cluster.nodes[2].address)
      var spoken = 0
      var story: [String] = []

      /// A burst of chat with an outage in its middle, until everybody has heard everything.
      func during(_ title: String, _ outage: () async throws -> Void) async throws {
        let start = ContinuousClock.now
        let lines = spoken + 1...spoken + 40
        spoken += 40
        try await party.chat(lines) {
          try await Task.sleep(for: .milliseconds(300))
          try await outage()
        }
        try await party.hearEverything(upTo: spoken)
        story.append("\(title): all heard after \(ContinuousClock.now - start)")
        for node in cluster.nodes where !node.isRunning { try await node.start() }
        try await cluster.waitUntilMeshed()
      }

      try await during("a guest's node is killed") { try await party.node(of: "Ben").kill() }
      try await during("the host's node is killed") { try await party.node(of: "Ana").kill() }
      try await during("a node freezes") {
        let node = try party.node(of: "Chi")
        let clients = party.members.filter { $0.server == node.address }
        let start = ContinuousClock.now
        node.freeze()
        for client in clients {
          try await client.process.wait("\(client.name)'s new server") {
            !$0.history(of: "connected", since: start).isEmpty
          }
          let recovery = try #require(party.recovery(of: client.name, since: start))
          #expect(recovery.noticed < Self.noticeLimit)
          story.append("\(client.name) noticed after \(recovery.noticed), back \(recovery.back)")
        }
        // What it held back comes now, long after.
        node.thaw()
      }
      try await during("two of three are killed") {
        let last = try party.node(of: "Dee")
        for node in cluster.nodes where node !== last { await node.kill() }
      }
      try await during("all are killed, and come back") {
        let start = ContinuousClock.now
        for node in cluster.nodes { await node.kill() }
        for member in party.members {
          try await member.process.wait("\(member.name)'s loss of its server") {
            !$0.history(of: "disconnected", since: start).isEmpty
          }
        }
        for node in cluster.nodes { try await node.start() }
      }

      let tally = party.tally(spoken)
      #expect(tally.isPerfect, "\(tally)")
      let (worst, readings) = party.excursions()
      #expect(readings > 100)
      #expect(worst.count == 4)
      for (name, excursion) in worst { #expect(excursion < Self.stepLimit, "\(name)") }
      print("cluster: \(tally); worst \(worst) ms in \(readings) readings; \(story)")
      try await party.end()
    }
  }
}
