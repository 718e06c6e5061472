import GroupActivities
import Testing
import Timekeeping

@testable import Doors

@Suite("The party and a room agree in the end")
struct RoomAgreementTests {
  /// A violation of what a room promises.
  private struct Violation: Error, CustomStringConvertible { var description: String }

  /// People act at random, also at the same time; then nobody does.
  ///
  /// - Throws: ``Violation`` if the party and the room don't agree then.
  private func check(seed: UInt64, with bug: ModelRoom.Bug? = nil) throws(Violation) {
    var room = ModelRoom(seed: seed, with: bug)
    room.pass(.seconds(4))
    var dice = seed
    for _ in 0..<12 {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let person = ModelRoom.Person.allCases[Int(dice >> 40 % 2)]
      room.act(ModelRoom.Deed.allCases[Int(dice >> 45 % 3)], by: person)
      room.pass(.milliseconds(Int64(dice >> 50 % 3000)))
    }
    // The time in which Kim gives up a lead of four seconds.
    room.pass(.seconds(90))
    let quiet = room.now
    room.pass(.seconds(20))
    guard room.ana.isPaused == room.kim.isPaused else {
      throw Violation(description: "one of them is paused, the other plays")
    }
    let lead = room.ana.position(at: room.now) - room.kim.position(at: room.now)
    guard lead.magnitude < .seconds(1.6) else {
      throw Violation(description: "they are \(lead) apart")
    }
    guard room.orders.allSatisfy({ $0 < quiet }) else {
      throw Violation(description: "the room commands the party although no person does anything")
    }
    for person in ModelRoom.Person.allCases {
      let target = room.act(.seek, by: person)
      room.pass(.seconds(5))
      for position in [room.ana.position(at: room.now), room.kim.position(at: room.now)] {
        guard (position - target).magnitude < .seconds(6) else {
          throw Violation(
            description:
              "a jump of \(person) to \(target.seconds): Ana at \(room.ana.position(at: room.now).seconds), Kim at \(room.kim.position(at: room.now).seconds)"
          )
        }
      }
    }
  }

  @Test("Whoever acts when, both are at the same position afterwards", arguments: 1...100)
  func agrees(seed: UInt64) throws {
    try check(seed: seed)
  }

  private static let bugs = [
    ModelRoom.Bug(
      name: "the server's count doesn't go back",
      message: { message in
        guard var state = message["State"]?.object else { return message }
        var counts = state["ignoringOnTheFly"]?.object ?? [:]
        counts["server"] = nil
        state["ignoringOnTheFly"] = .object(counts)
        return ["State": .object(state)]
      }),
    ModelRoom.Bug(
      name: "jumps aren't announced",
      message: { message in
        guard var state = message["State"]?.object, var play = state["playstate"]?.object else {
          return message
        }
        play["doSeek"] = false
        state["playstate"] = .object(play)
        return ["State": .object(state)]
      }),
    ModelRoom.Bug(name: "pauses aren't carried out", obeys: { $0.action != .pause }),
  ]

  @Test("A planted bug is found", arguments: bugs.indices)
  func planted(index: Int) {
    let bug = Self.bugs[index]
    let found = (1...60).contains { seed in
      do {
        try check(seed: UInt64(seed), with: bug)
        return false
      } catch {
        return true
      }
    }
    #expect(found, "no seed finds it: \(bug.name)")
  }
}
