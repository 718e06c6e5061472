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
    #expect(simulation.mishearing == nil, "seed \(seed)")
    #expect(simulation.nodes.allSatisfy { $0.missing.isEmpty }, "seed \(seed)")
    let isWaiting = simulation.nodes.contains { $0.waiting != nil }
    #expect(!isWaiting, "seed \(seed): somebody still shows a wait that is over")
  }

  @Test(
    "When the creator goes, with or without a word, the others go on in step",
    arguments: UInt64(0)..<12)
  func creatorGoes(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 3 + Int(seed % 4))
    simulation.gather()
    simulation.play(by: 0)
    simulation.run(for: .seconds(5))
    let places = simulation.running.map { simulation.itemTime($0) }
    if seed.isMultiple(of: 2) { simulation.leave(0) } else { simulation.kill(0) }
    simulation.run(for: .seconds(10))
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.clockSpread < .milliseconds(8), "seed \(seed)")
    for index in simulation.running {
      let played = simulation.itemTime(index) - places[index]
      #expect(abs(played.inSeconds - 10) < 0.01, "seed \(seed): nobody was moved")
    }
    simulation.pause(by: 1)
    simulation.run(for: .seconds(2))
    simulation.play(by: 2)
    simulation.run(for: .seconds(2))
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.spread < .milliseconds(8), "seed \(seed)")
  }

  @Test("Whoever comes late falls in with the others and moves nobody", arguments: UInt64(0)..<12)
  func latecomer(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 3)
    simulation.start(0)
    simulation.run(for: .milliseconds(300))
    simulation.activate(by: 0)
    simulation.start(1)
    simulation.run(for: .seconds(3))
    simulation.play(by: 1)
    simulation.run(for: .seconds(5))
    let state = simulation.nodes[0].coordinator.groupState
    simulation.start(2)
    simulation.run(for: .seconds(5))
    #expect(simulation.disagreement == nil, "seed \(seed)")
    #expect(simulation.nodes[2].coordinator.groupState == state, "seed \(seed)")
    #expect(simulation.spread < .milliseconds(15), "seed \(seed)")
  }

  @Test(
    "Crystals that run apart are kept together for as long as a film lasts",
    arguments: UInt64(0)..<2)
  func longFilm(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 3)
    simulation.nodes[1].drift = 50e-6
    simulation.nodes[2].drift = -50e-6
    simulation.gather()
    simulation.run(for: .seconds(600))
    #expect(simulation.clockSpread < .milliseconds(8), "seed \(seed)")
    #expect(simulation.disagreement == nil, "seed \(seed)")
  }

  @Test("A start whose participants vanish is over by its due date", arguments: UInt64(0)..<6)
  func vanishing(seed: UInt64) {
    var simulation = Simulation(seed: seed, participants: 4)
    simulation.gather()
    simulation.faults.slowSeeks = [3: .seconds(600)]
    simulation.play(by: Int(seed % 3))
    simulation.run(for: .milliseconds(30))
    simulation.kill(Int(seed % 3))
    let started = simulation.run(
      until: { simulation in
        simulation.running.allSatisfy {
          simulation.nodes[$0].coordinator.groupState?.isPlaying == true
        }
      }, deadline: .seconds(13))
    #expect(started, "seed \(seed)")
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
