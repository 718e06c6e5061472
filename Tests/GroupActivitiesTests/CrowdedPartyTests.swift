import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation

/// Parties of any size: the cost of presence and clock, and the distribution of an epoch's secret.
@Suite("A crowded party")
struct CrowdedPartyTests {
  /// Returns a party under way: all participants came one after another, and some minutes passed.
  static func crowd(_ size: Int, settlingFor time: Duration) -> Crowd {
    var crowd = Crowd(size)
    for index in 0..<size {
      crowd.arrive(index)
      crowd.run(for: .milliseconds(size > 100 ? 60 : 400))
    }
    crowd.run(for: time)
    crowd.forgetTraffic()
    return crowd
  }

  @Test(
    "Presence and clock take less than 2 kB a second each way, for every participant including the reference",
    arguments: [2, 3, 4, 8, 16, 17, 60])
  func cost(size: Int) {
    var crowd = Self.crowd(size, settlingFor: .seconds(150))
    let seconds = 60.0
    crowd.run(for: .seconds(seconds))
    let got = crowd.members.map { Double($0.got) / seconds }
    let sent = crowd.members.map { Double($0.sent) / seconds }
    #expect(got.max()! < 2000, "\(size): \(got.max()!) of \(crowd.counts)")
    #expect(sent.max()! < 2000, "\(size): \(sent.max()!) of \(crowd.counts)")
    for member in crowd.members {
      #expect(member.machine.joinedAt != nil)
      #expect(member.machine.others.count == size - 1, "\(member.machine.name)")
      #expect(member.machine.participantCount == size)
    }
  }

  @Test(
    "Everyone has a new key within seconds, for a few short messages each",
    arguments: [4, 16, 17, 60, 150])
  func newKey(size: Int) throws {
    var crowd = Self.crowd(size, settlingFor: .seconds(size > 100 ? 30 : 5))
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

  /// Removes the last member of a crowd.
  ///
  /// - Returns: the time after which all others use one key; nil if that takes more than a minute.
  private static func removal(in crowd: inout Crowd) -> Duration? {
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
}
