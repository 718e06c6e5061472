import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// A participant who may control signs two sessions with one stamp, each for half of the others.
@Suite("Two sessions with one stamp")
struct EquivocationTests {
  @Test(
    "All participants end with the same session, whatever the order in which they receive the two")
  func order() {
    let gathering = Gathering.gathered("Ana", "Ben")
    let time = gathering.groupTime(0)!.nanoseconds
    let first = SessionTests.register(time, by: Gathering.id(1), activity: "one film")
    var second = SessionTests.register(time, by: Gathering.id(1), activity: "another film")
    second.id = GroupSessionID(rawValue: 77)
    let held = [[first, second], [second, first]].map { order in
      var machine = gathering.members[0].machine
      for register in order + order { _ = machine.sessionReceived(register, at: gathering.host(0)) }
      return machine.session
    }
    #expect(held[0] == held[1])
  }

  @Test("Halves of a party that received different sessions converge on one")
  func halves() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dee")
    let time = gathering.groupTime(0)!.nanoseconds
    let first = SessionTests.register(time, by: Gathering.id(3), activity: "one film")
    var second = SessionTests.register(time, by: Gathering.id(3), activity: "another film")
    second.id = GroupSessionID(rawValue: 77)
    for (index, register) in [first, first, second].enumerated() {
      gathering.act(index) {
        $0.sessionReceived(register, at: $1) + $0.joinSession(register.id, at: $1)
      }
    }
    // A participant that holds another session than it joined joins the held one, as the program
    // does.
    for _ in 0..<20 {
      gathering.run(for: .milliseconds(500))
      for index in 0..<3 {
        guard let id = gathering.members[index].machine.session?.id,
          !gathering.members[index].machine.sessions.joined.contains(id)
        else { continue }
        gathering.act(index) { $0.joinSession(id, at: $1) }
      }
    }
    let held = (0..<3).map { gathering.members[$0].machine.session }
    #expect(held[0] != nil && Set(held).count == 1)
  }
}
