import GroupSimulation
import Testing

/// Failures that the simulator found, reduced, each under the seed that found it.
@Suite("Seeds that once broke a group")
struct FoundSeedTests {
  private func check(_ scenario: Scenario) {
    let trial = Trial.run(scenario)
    #expect(trial.breach == nil, "\(Trial.story(scenario).joined(separator: "\n"))")
  }

  @Test("32: a participant that was removed before it came gets the removal")
  func removedBeforeArriving() {
    var scenario = Scenario(
      seed: 32, people: [Person(0), Person(5, arrivesAt: 8_876_910_343)],
      calmAt: .milliseconds(8977))
    scenario.deeds = [Deed(by: 0, .amend(.remove(5)), when: .at(4_468_014_538))]
    check(scenario)
  }

  @Test(
    "1000: a participant that was removed while it was cut off gets the removal when it is back")
  func removedWhileCutOff() {
    var scenario = Scenario(
      seed: 1000, people: [Person(0), Person(2)], calmAt: .milliseconds(8001))
    scenario.deeds = [Deed(by: 0, .amend(.remove(2)), when: .at(3_805_104_642))]
    scenario.faults = [
      Fault(.islands([[0], [2, 3], [1]]), from: 3_509_624_828, until: 8_000_000_000)
    ]
    check(scenario)
  }

  @Test("57: an old exchange with a small round trip isn't trusted while the crystals run apart")
  func driftAfterTheCreatorLeft() {
    var scenario = Scenario(
      seed: 57,
      people: [
        Person(0, delayUp: 1_053_087, delayDown: 1_053_087),
        Person(1, drift: 0.00018519960744926213),
        Person(4, drift: -0.00015858687851203347),
      ], calmAt: .milliseconds(7001))
    scenario.deeds = [
      Deed(by: 0, .leave, when: .at(5_386_035_505)),
      Deed(by: 4, .play(rate: 1.0, immediately: false), when: .at(2_503_757_731)),
    ]
    scenario.faults = [
      Fault(.jitter(56_750_986), from: 3_822_704_991, until: 7_000_000_000),
      Fault(.stall(1), from: 5_842_399_712, until: 7_000_000_000),
    ]
    check(scenario)
  }

  @Test(
    "921: a participant that returns from another island's time measures the party's time again")
  func backFromAnIsland() {
    var scenario = Scenario(
      seed: 921,
      people: [
        Person(0, drift: 0.00013925505121254397),
        Person(1, delayUp: 1_560_786, delayDown: 4_682_358),
        Person(5, drift: -0.0001788186210670907),
      ], calmAt: .milliseconds(12_001))
    scenario.deeds = [
      Deed(by: 0, .play(rate: 1.25, immediately: true), when: .at(5_837_200_612))
    ]
    scenario.faults = [
      Fault(
        .islands([[1, 5], [0, 2, 3, 4, 6, 7, 8]]), from: 3_549_634_952, until: 7_835_504_087)
    ]
    check(scenario)
  }

  @Test("2370: a temporary reference reports the uncertainty of its time")
  func temporaryReference() {
    var scenario = Scenario(
      seed: 2370,
      people: [
        Person(0, drift: -0.00018097363989597463),
        Person(2, arrivesAt: 2_460_068_734, drift: 8.048476201455909e-05),
        Person(3, delayUp: 3_438_354, delayDown: 3_438_354),
      ], calmAt: .milliseconds(13_001))
    scenario.deeds = [
      Deed(by: 0, .play(rate: 1.25, immediately: false), when: .at(1_949_961_643))
    ]
    scenario.faults = [Fault(.mute([0]), from: 7_297_015_179, until: 13_000_000_000)]
    check(scenario)
  }

  @Test("1513: the round trip of a participant that was its own reference isn't zero")
  func leadAfterAReunion() {
    var scenario = Scenario(
      seed: 1513,
      people: [
        Person(
          0, delayUp: 11_763_874, delayDown: 11_763_874, seekCost: 187_784_267,
          loadingTime: 215_112_746),
        Person(1, arrivesAt: 215_005_136, delayUp: 69_991_283, delayDown: 69_991_283),
        Person(2, arrivesAt: 2_781_017_649, delayUp: 32_644_814, delayDown: 32_644_814),
      ], calmAt: .milliseconds(14_721))
    scenario.deeds = [
      Deed(by: 0, .pause, when: .at(5_433_753_371)),
      Deed(by: 0, .play(rate: 1.0, immediately: false), when: .at(2_332_335_743)),
      Deed(by: 1, .play(rate: 1.5, immediately: false), when: .at(2_364_776_080)),
      Deed(by: 0, .play(rate: 1.5, immediately: false), when: .at(9_559_625_316)),
    ]
    scenario.faults = [
      Fault(.frozen(0), from: 6_921_293_929, until: 11_042_459_145),
      Fault(.disconnection(2), from: 3_154_464_611, until: 14_620_969_943),
      Fault(.frozen(1), from: 7_605_159_649, until: 9_504_515_242),
    ]
    check(scenario)
  }

  @Test("1444: a guest's player that reaches the end changes nothing for the group")
  func guestAtTheEnd() {
    var scenario = Scenario(
      seed: 1444, people: [Person(0), Person(1), Person(3)], calmAt: .milliseconds(23_001))
    scenario.deeds = [
      Deed(by: 1, .openForAll("short"), when: .at(6_051_284_235)),
      Deed(by: 0, .amend(.onlyHostsControl), when: .at(13_354_048_244)),
      Deed(by: 3, .play(rate: 1.0, immediately: false), when: .at(11_648_944_743)),
    ]
    check(scenario)
  }

  @Test("4543: a guest's change from before it knew the rules yields to the host's state")
  func ignorantGuest() {
    var scenario = Scenario(
      seed: 4543,
      people: [
        Person(0, delayUp: 49_474_478, delayDown: 49_474_478),
        Person(1, arrivesAt: 173_240_459, delayUp: 52_204_075, delayDown: 52_204_075),
      ], calmAt: .milliseconds(6001))
    scenario.deeds = [
      Deed(by: 0, .amend(.onlyHostsControl), when: .at(2_356_411_176)),
      Deed(by: 1, .play(rate: 1.0, immediately: true), when: .at(4_398_183_823)),
    ]
    scenario.faults = [Fault(.frozen(1), from: 1_819_084_508, until: 6_000_000_000)]
    check(scenario)
  }

  @Test(
    "38535: a participant that rejoins a pause whose frame never came goes to its named position")
  func pauseWithoutAFrame() {
    var scenario = Scenario(
      seed: 38535, people: [Person(0), Person(1), Person(2)], calmAt: .milliseconds(13_001))
    scenario.deeds = [
      Deed(by: 2, .play(rate: 2.0, immediately: false), when: .at(8_641_197_658)),
      Deed(by: 1, .pause, when: .at(10_207_906_308)),
    ]
    scenario.faults = [
      Fault(.failure(1), from: 9_736_477_986, until: 10_220_913_826),
      Fault(.stall(0), from: 9_516_405_270, until: 13_000_000_000),
    ]
    check(scenario)
  }
}
