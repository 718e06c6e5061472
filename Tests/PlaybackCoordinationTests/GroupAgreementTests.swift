import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination

@Suite("A group, simulated")
struct GroupAgreementTests {
  @Test("Everybody arrives, under a name of their own", arguments: UInt64(0)..<12)
  func arrival(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 2 + Int(seed % 7))
    simulation.gather()
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.clockSpread < .milliseconds(5), "seed \(seed)")
  }

  @Test("A start happens everywhere at one instant, from one place", arguments: UInt64(0)..<12)
  func start(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 2 + Int(seed % 7))
    simulation.gather()
    simulation.play(by: Int(seed) % simulation.nodes.count)
    let started = simulation.run(
      until: { simulation in simulation.nodes.allSatisfy { $0.player.rate == 1 } },
      deadline: .seconds(2))
    #expect(started, "seed \(seed): \(simulation.disagreement ?? "")")
    simulation.run(for: .seconds(1))
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.spread < .milliseconds(8), "seed \(seed)")
  }

  @Test("A pause puts everybody on the originator's frame", arguments: UInt64(0)..<12)
  func pause(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 2 + Int(seed % 7))
    simulation.gather()
    simulation.play(by: 0)
    simulation.run(for: .seconds(5))
    let pauser = Int(seed) % simulation.nodes.count
    simulation.pause(by: pauser)
    simulation.run(for: .seconds(2))
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.spread == .zero, "seed \(seed)")
  }

  @Test("Everyone agrees once the network heals", arguments: UInt64(0)..<24)
  func heals(seed: UInt64) {
    let count = 2 + Int(seed % 7)
    var simulation = Simulation(seed: seed, participants: count)
    simulation.gather()
    simulation.mayhem(for: .seconds(45))
    simulation.run(for: .seconds(20), faults: Simulation.Faults.none)
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.spread < .milliseconds(40), "seed \(seed)")
    let chats = simulation.running.map { index in
      Set(simulation.nodes[index].chat).count
    }
    #expect(
      simulation.running.allSatisfy {
        simulation.nodes[$0].chat.count == Set(simulation.nodes[$0].chat).count
      }, "seed \(seed): something was delivered twice, \(chats)")
  }
}

extension Simulation {
  /// A minute in which everything goes wrong that the seed can think of.
  mutating func mayhem(for duration: Duration) {
    var dice = RandomSource.seeded(seed ^ 0xD1CE)
    let end = now + duration
    while now < end {
      let index = Int.random(in: nodes.indices, using: &dice)
      switch Int.random(in: 0..<12, using: &dice) {
      case 0, 1: play(by: index)
      case 2: pause(by: index)
      case 3: seek(to: Double.random(in: 0...3000, using: &dice), by: index)
      case 4: play(rate: [0.5, 1, 1.25, 2].randomElement(using: &dice)!, by: index)
      case 5: faults.loss = Double.random(in: 0...0.4, using: &dice)
      case 6: faults.jitter = .milliseconds(Int64.random(in: 1...300, using: &dice))
      case 7: faults.partition = Set(nodes.indices.filter { _ in Bool.random(using: &dice) })
      case 8: faults.partition = []
      case 9:
        disconnect(index)
        run(for: .milliseconds(Int64.random(in: 10...7000, using: &dice)))
        reconnect(index)
      case 10: faults.slowSeeks = [index: .milliseconds(Int64.random(in: 40...15000, using: &dice))]
      default: chat("message \(Int64.random(in: 0 ... .max, using: &dice))", by: index)
      }
      run(for: .milliseconds(Int64.random(in: 5...3000, using: &dice)))
    }
  }
}
