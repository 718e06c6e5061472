import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation

/// The cost of presence and clock for one participant, whatever the number of participants.
@Suite("A party's upkeep")
struct CostTests {
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
  func constant(size: Int) {
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
}
