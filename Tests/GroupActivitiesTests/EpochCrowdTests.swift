import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation

/// The distribution of an epoch's secret in parties of different sizes.
@Suite("A new key for a crowd")
struct EpochCrowdTests {
  /// Removes the last member of a crowd.
  ///
  /// - Returns: the time after which all others use one key; nil if that takes more than a minute.
  static func removal(in crowd: inout Crowd) -> Duration? {
    let removed = Crowd.id(crowd.members.count - 1)
    crowd.act(0) { $0.amend(.remove(removed), at: $1) ?? [] }
    let start = crowd.now
    while crowd.now - start < .seconds(60) {
      crowd.run(for: .milliseconds(100))
      let keys = Set(crowd.members.dropLast().map(\.machine.policy.keys.sealing))
      if keys.count == 1, keys != [nil], keys != [.invite] { return crowd.now - start }
    }
    return nil
  }

  @Test(
    "Everyone has the key within seconds, for a few short messages each",
    arguments: [4, 16, 17, 60, 150])
  func spreads(size: Int) throws {
    var crowd = CostTests.crowd(size, settlingFor: .seconds(size > 100 ? 30 : 5))
    let took = Self.removal(in: &crowd)
    let time = try #require(took, "\(size): \(crowd.counts)")
    #expect(time < .seconds(size > 16 ? 10 : 1), "\(size)")
    let (questions, answers) = (crowd.counts["keyRequest"] ?? 0, crowd.counts["keyShares"] ?? 0)
    #expect(questions <= size * 10 && answers <= size * 6 + 1, "\(size): \(crowd.counts)")
    if size <= 16 { #expect(questions == 0 && answers == 1, "\(size): \(crowd.counts)") }
    let removed = crowd.members[size - 1].machine.policy.keys
    let key = try #require(crowd.members[0].machine.policy.keys.sealing)
    #expect(!removed.holds(key))
  }
}
