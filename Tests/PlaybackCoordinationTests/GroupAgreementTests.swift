import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination

@Suite("A group, simulated")
struct GroupAgreementTests {
  /// Returns a party of 2 to 8 participants that has gathered, on a faultless network.
  private func gathered(seed: UInt64) -> Simulation {
    let people = Scenario.calmPeople(2 + Int(seed % 7), seed: seed)
    let simulation = Simulation(Scenario(seed: seed, people: people, calmAt: 0))
    simulation.run(for: .seconds(5))
    return simulation
  }

  /// Returns the distance between the first and the last player.
  private func spread(_ simulation: Simulation) -> Nanoseconds {
    let positions = simulation.running.map { $0.itemTime(at: simulation.now).nanoseconds }
    return positions.max()! - positions.min()!
  }

  @Test("All participants arrive, each with a name of its own", arguments: UInt64(0)..<12)
  func arrival(seed: UInt64) {
    let simulation = gathered(seed: seed)
    let running = simulation.running
    #expect(
      running.allSatisfy { $0.session.map($0.party.members(of:))?.count == running.count },
      "seed \(seed)")
    #expect(Set(running.map(\.party.name)).count == running.count, "seed \(seed)")
    for one in running {
      for other in running where other !== one {
        #expect(one.party.roster[other.id]?.name == other.party.name, "seed \(seed)")
      }
    }
    let clocks = running.map { $0.groupTime(at: simulation.now).nanoseconds }
    #expect(clocks.max()! - clocks.min()! < .milliseconds(5), "seed \(seed)")
  }

  @Test("A start happens for all at one instant, from one position", arguments: UInt64(0)..<12)
  func start(seed: UInt64) {
    let simulation = gathered(seed: seed)
    let starter = simulation.running[Int(seed) % simulation.running.count]
    simulation.perform(.play(rate: 1, immediately: false), starter)
    let started = simulation.run(
      until: { simulation.running.allSatisfy { $0.player.rate == 1 } }, within: .seconds(2))
    #expect(started, "seed \(seed)")
    simulation.run(for: .seconds(1))
    #expect(spread(simulation) < .milliseconds(8), "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test("A pause moves all participants to the originator's frame", arguments: UInt64(0)..<12)
  func pause(seed: UInt64) {
    let simulation = gathered(seed: seed)
    simulation.perform(.play(rate: 1, immediately: false), simulation.running[0])
    simulation.run(for: .seconds(5))
    let pauser = simulation.running[Int(seed) % simulation.running.count]
    simulation.perform(.pause, pauser)
    simulation.run(for: .seconds(2))
    #expect(spread(simulation) == 0, "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test(
    "When the creator leaves, with or without an announcement, the others stay in step",
    arguments: UInt64(0)..<12)
  func creatorGoes(seed: UInt64) throws {
    let simulation = gathered(seed: seed | 1)
    let others = Array(simulation.running.dropFirst())
    simulation.perform(.play(rate: 1, immediately: false), simulation.running[0])
    simulation.run(for: .seconds(5))
    let positions = others.map { $0.itemTime(at: simulation.now).nanoseconds }
    simulation.perform(seed.isMultiple(of: 2) ? .leave : .crash, simulation.running[0])
    simulation.run(for: .seconds(10))
    for (participant, position) in zip(others, positions) {
      let played = participant.itemTime(at: simulation.now).nanoseconds - position
      #expect(abs(played - .seconds(10)) < .milliseconds(10), "seed \(seed): nobody was moved")
    }
    let clocks = others.map { $0.groupTime(at: simulation.now).nanoseconds }
    #expect(clocks.max()! - clocks.min()! < .milliseconds(8), "seed \(seed)")
    simulation.perform(.pause, others[0])
    simulation.run(for: .seconds(2))
    simulation.perform(.play(rate: 1, immediately: false), try #require(others.last))
    simulation.run(for: .seconds(2))
    #expect(others.allSatisfy { $0.player.rate == 1 }, "seed \(seed)")
    #expect(spread(simulation) < .milliseconds(8), "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test(
    "A late joiner gets in step with the others and doesn't move them", arguments: UInt64(0)..<12)
  func latecomer(seed: UInt64) throws {
    var people = Scenario.calmPeople(3, seed: seed)
    people[2].arrivesAt = .seconds(10)
    let simulation = Simulation(Scenario(seed: seed, people: people, calmAt: 0))
    simulation.run(for: .seconds(3))
    simulation.perform(.play(rate: 1, immediately: false), simulation.participants[1])
    simulation.run(for: .seconds(6))
    let state = try #require(simulation.participants[0].coordinator.groupState)
    #expect(state.isPlaying)
    simulation.run(for: .seconds(6))
    #expect(simulation.running.count == 3)
    #expect(
      simulation.running.allSatisfy { $0.coordinator.groupState == state }, "seed \(seed)")
    #expect(spread(simulation) < .milliseconds(15), "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test(
    "Players with different crystals are kept together for the length of a film",
    arguments: UInt64(0)..<2)
  func longFilm(seed: UInt64) {
    var people = Scenario.calmPeople(3, seed: seed)
    people[1].drift = 50e-6
    people[2].drift = -50e-6
    let simulation = Simulation(Scenario(seed: seed, people: people, calmAt: 0))
    simulation.run(for: .seconds(2))
    simulation.perform(.play(rate: 1, immediately: false), simulation.running[0])
    simulation.run(for: .seconds(5400))
    let clocks = simulation.running.map { $0.groupTime(at: simulation.now).nanoseconds }
    #expect(clocks.max()! - clocks.min()! < .milliseconds(8), "seed \(seed)")
    #expect(spread(simulation) < .milliseconds(15), "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test("A start whose participants vanish is over by its due date", arguments: UInt64(0)..<6)
  func vanishing(seed: UInt64) {
    let people = Scenario.calmPeople(4, seed: seed)
    let simulation = Simulation(Scenario(seed: seed, people: people, calmAt: 0))
    simulation.run(for: .seconds(5))
    simulation.participants[3].player.seekCost = .seconds(600)
    let starter = simulation.participants[Int(seed % 3)]
    simulation.perform(.play(rate: 1, immediately: false), starter)
    simulation.run(for: .milliseconds(30))
    simulation.perform(.crash, starter)
    let started = simulation.run(
      until: {
        simulation.running.allSatisfy { $0.coordinator.groupState?.isPlaying == true }
      }, within: .seconds(13))
    #expect(started, "seed \(seed)")
    #expect(simulation.breach == nil, "seed \(seed)")
  }

  @Test("A party that encodes its messages as on the wire does the same", arguments: UInt64(0)..<4)
  func encoding(seed: UInt64) {
    let scenario = Scenario.random(seed: seed)
    let stories = [false, true].map { isEncoding in
      let simulation = Simulation(
        scenario, options: Simulation.Options(isEncoding: isEncoding, tellsStory: true))
      simulation.run()
      return simulation.story.lines
    }
    #expect(stories[0] == stories[1], "seed \(seed)")
  }
}
