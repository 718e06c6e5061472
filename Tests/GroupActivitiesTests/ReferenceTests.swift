import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// A guest that claims to have been here always, and then sends a wrong time: no participant adopts
/// it.
@Suite("The reference of the group's clock")
struct ReferenceTests {
  /// A participant that is admitted with a false claim, and answers clock exchanges with a lie.
  struct Liar {
    static let index = 3
    var claim = GroupTime(nanoseconds: .min + 5)
    var lie = Duration.zero
  }

  /// Ana, Ben and Chi are here. The fourth is Mallory, whose messages are changed on their way.
  private func gathering(arriving order: [Int] = [0, 1, 2, 3]) -> Gathering {
    var gathering = Gathering("Ana", "Ben", "Chi", "Mallory", "Dee")
    gathering.forge = Self.forge(Liar())
    gathering.arrive(order, every: .seconds(20))
    return gathering
  }

  /// Changes Mallory's messages: her arrival time, the others' arrivals, and the time.
  private static func forge(_ liar: Liar) -> (Gathering.Packet) -> Gathering.Packet {
    { packet in
      guard packet.from == Gathering.id(Liar.index) else { return packet }
      var packet = packet
      func lied(_ beacon: Beacon) -> Beacon {
        var beacon = beacon
        if beacon.joinedAt != nil { beacon.joinedAt = liar.claim }
        beacon.clockUncertainty = 1_000_000
        return beacon
      }
      func lied(_ reply: ProbeReply) -> ProbeReply {
        var reply = reply
        if let times = reply.times {
          reply.times = .init(
            received: times.received + liar.lie, sent: times.sent + liar.lie, uncertainty: 0)
        }
        if let introduction = reply.introduction {
          reply.introduction?.beacon = lied(introduction.beacon)
          reply.introduction?.seniors = [
            .init(id: packet.from, arrivedAt: liar.claim),
            .init(id: Gathering.id(1), arrivedAt: GroupTime(nanoseconds: .max)),
          ]
        }
        return reply
      }
      switch packet.message {
      case .beacon(let beacon): packet.message = .beacon(lied(beacon))
      case .direct(.probeReply(let reply)): packet.message = .probeReply(lied(reply))
      case .direct(.welcome(var welcome)):
        welcome.reply = lied(welcome.reply)
        packet.message = .welcome(welcome)
      case .event, .direct, .loose, .lane: break
      }
      return packet
    }
  }

  /// Returns the difference between the member's group time and the creator's clock.
  private func error(_ gathering: Gathering, _ index: Int) -> Duration {
    let truth = GroupTime(nanoseconds: gathering.host(0).nanoseconds)
    guard let time = gathering.groupTime(index) else { return .seconds(1_000_000) }
    return (time - truth).magnitude
  }

  private func reference(_ gathering: Gathering, _ index: Int) -> Participant.ID? {
    gathering.members[index].machine.keeper.known
  }

  @Test("A guest that claims to have been here first doesn't become the reference")
  func claim() {
    var gathering = gathering()
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    for index in [1, 2] { #expect(reference(gathering, index) == Gathering.id(1)) }
    for lie in [.seconds(7), .seconds(100)] as [Duration] {
      gathering.forge = Self.forge(Liar(lie: lie))
      gathering.run(for: .seconds(60))
      for index in [1, 2] { #expect(error(gathering, index) < .milliseconds(50), "\(lie)") }
    }
  }

  @Test("A newcomer believes the participants who were here, whatever another one claims")
  func newcomer() {
    var gathering = gathering()
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    gathering.forge = Self.forge(Liar(lie: .seconds(7)))
    gathering.arrive(4)
    gathering.run(for: .seconds(60))
    for index in [1, 2, 4] {
      #expect(reference(gathering, index) == Gathering.id(1), "\(index)")
      #expect(error(gathering, index) < .milliseconds(50), "\(index)")
    }
  }

  @Test(
    "A guest that came last doesn't become the reference by its identifier, which it can choose")
  func chosenIdentifier() {
    // Ben has the least identifier after the creator's.
    var gathering = Gathering("Ana", "Ben", "Chi", "Dee", "Eli")
    gathering.arrive([0, 2, 3, 1], every: .seconds(20))
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    gathering.arrive(4)
    gathering.run(for: .seconds(5))
    for index in [1, 2, 3, 4] { #expect(reference(gathering, index) == Gathering.id(2)) }
  }

  @Test(
    "When a guest that is the reference changes its time, the clocks don't jump and the next guest takes over",
    arguments: [7, -7, 100, 0.3])
  func jump(lie: Double) {
    // Mallory has really been here longest.
    var gathering = gathering(arriving: [0, 3, 1, 2])
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    for index in [1, 2] { #expect(reference(gathering, index) == Gathering.id(Liar.index)) }
    gathering.forge = Self.forge(Liar(lie: .seconds(lie)))
    gathering.run(for: .seconds(60))
    for index in [1, 2] {
      #expect(reference(gathering, index) == Gathering.id(1), "\(index)")
      #expect(error(gathering, index) < .milliseconds(150), "\(index)")
      #expect(gathering.members[index].machine.misconduct.rejections.invalid >= 3)
    }
    // A newcomer agrees with the others.
    gathering.arrive(4)
    gathering.run(for: .seconds(30))
    #expect(error(gathering, 4) < .milliseconds(150))
    #expect(reference(gathering, 4) == Gathering.id(1))
  }

  @Test("A reference that pretends not to know the time moves no clock further than it could drift")
  func doubtful() {
    var gathering = gathering(arriving: [0, 3, 1, 2])
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    // Ten minutes of answers that allow any time, then a false time.
    let forge = Self.forge(Liar())
    gathering.forge = { packet in
      var packet = forge(packet)
      if packet.from == Gathering.id(Liar.index),
        case .direct(.probeReply(var reply)) = packet.message
      {
        reply.times?.uncertainty = 10_000_000_000
        packet.message = .probeReply(reply)
      }
      return packet
    }
    gathering.run(for: .seconds(600))
    gathering.forge = Self.forge(Liar(lie: .seconds(2)))
    gathering.run(for: .seconds(60))
    for index in [1, 2] { #expect(error(gathering, index) < .milliseconds(600), "\(index)") }
  }

  @Test("After the creator the reference is a co-host, and only then the guest present longest")
  func hostsFirst() throws {
    var gathering = gathering(arriving: [0, 3, 1, 2])
    gathering.act(0) { $0.amend(.control(.hosts), at: $1)! }
    gathering.act(0) { $0.amend(.appointCoHost(Gathering.id(2)), at: $1)! }
    gathering.run(for: .seconds(2))
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    for index in [1, 2, 3] { #expect(reference(gathering, index) == Gathering.id(2)) }
    gathering.leave(2)
    gathering.run(for: .seconds(5))
    #expect(reference(gathering, 1) == Gathering.id(Liar.index))
  }

  @Test("A guest whose link was down while others arrived believes the times that they report")
  func outage() {
    var gathering = Gathering("Ana", "Ben", "Chi", "Dee")
    gathering.arrive(0)
    gathering.run(for: .seconds(2))
    gathering.arrive(1)
    gathering.run(for: .seconds(20))
    gathering.members[1].isHere = false
    gathering.act(1) { machine, _ in machine.disconnected() }
    gathering.arrive([2, 3], every: .seconds(20))
    gathering.members[1].isHere = true
    gathering.act(1) { $0.connected(at: $1) }
    gathering.run(for: .seconds(5))
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    let orders = [1, 2, 3].map { index in
      (gathering.members[index].machine.others.map(\.id) + [Gathering.id(index)])
        .filter { $0 != Gathering.id(1) }
    }
    #expect(orders[0].prefix(2) == [Gathering.id(2), Gathering.id(3)])
    for index in [1, 2, 3] { #expect(reference(gathering, index) == Gathering.id(1)) }
  }

  @Test(
    "A guest that is the reference, and whose machine was paused unnoticed, adopts the others' time"
  )
  func stopped() {
    var gathering = Gathering("Ana", "Ben", "Chi", "Dee")
    gathering.arrive([0, 1, 2, 3], every: .seconds(5))
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    #expect(reference(gathering, 2) == Gathering.id(1))
    // A virtual machine that was paused: its clock doesn't show it.
    gathering.members[1].clockOffset -= .seconds(2)
    gathering.run(for: .seconds(30))
    for index in [1, 2, 3] {
      #expect(error(gathering, index) < .milliseconds(150), "\(index)")
      #expect(reference(gathering, index) == Gathering.id(2), "\(index)")
    }
  }

  /// Lets the machines' wall clocks be kept by a time service, and one participant claim another time.
  private func wallClocks(
    _ gathering: inout Gathering, claimed error: Duration, by liar: Int, for duration: Duration
  ) {
    gathering.forge = { packet in
      guard packet.from == Gathering.id(liar), case .beacon(var beacon) = packet.message else {
        return packet
      }
      beacon.wallClock?.offset += error.inNanoseconds
      beacon.wallClock?.uncertainty = 100_000
      beacon.wallClock?.clockUncertainty = 0
      var packet = packet
      packet.message = .beacon(beacon)
      return packet
    }
    let end = gathering.now + duration
    while gathering.now < end {
      for index in gathering.members.indices {
        // All wall clocks show one time, which is the hosts' with their offsets removed.
        gathering.members[index].machine.noteWallClock(
          WallClockReading(
            offset: .seconds(1_700_000_000) - gathering.members[index].clockOffset,
            uncertainty: .milliseconds(1)), at: gathering.host(index))
      }
      gathering.run(for: .milliseconds(500))
    }
  }

  /// The number of wall clocks that Ben uses while a participant claims another time. Whatever they show, his time stays
  /// within the bound of the exchanges alone, which leave much to claim: 20 ms in either direction.
  private func used(claiming lie: Duration, by liar: Int, in gathering: Gathering) throws -> Int {
    var gathering = gathering
    gathering.delay = .milliseconds(20)
    gathering.gather()
    wallClocks(&gathering, claimed: lie, by: liar, for: .seconds(60))
    let machine = gathering.members[1].machine
    let reading = try #require(machine.clockReading(at: gathering.host(1)))
    let proven = try #require(machine.provenError(at: gathering.host(1)))
    #expect(error(gathering, 1) <= proven, "\(lie): \(reading)")
    return reading.wallClocks
  }

  @Test("Wall clocks that a guest invents are used, and move nobody beyond the exchanges' bound")
  func wallClocksOfGuest() throws {
    let gathering = Gathering("Ana", "Ben", "Chi", "Mallory")
    for sign in [1, -1] {
      // A small lie fits the true claims, and a great one stands alone. Between them it may be unclear who lies.
      for lie in [40, 500] {
        #expect(try used(claiming: .microseconds(lie * sign), by: 3, in: gathering) == 3, "\(lie)")
      }
      for lie in [4, 20] {
        _ = try used(claiming: .milliseconds(lie * sign), by: 3, in: gathering)
      }
      #expect(try used(claiming: .seconds(100 * sign), by: 3, in: gathering) == 2)
    }
  }

  @Test(
    "Wall clocks that the creator invents are used, and move nobody beyond the exchanges' bound")
  func wallClocksOfCreator() throws {
    let gathering = Gathering("Ana", "Ben", "Chi")
    for sign in [1, -1] {
      for lie in [40, 500] {
        #expect(try used(claiming: .microseconds(lie * sign), by: 0, in: gathering) == 2, "\(lie)")
      }
      // Neither of two that disagree is used.
      for lie in [40, 100_000] {
        #expect(try used(claiming: .milliseconds(lie * sign), by: 0, in: gathering) == 0, "\(lie)")
      }
    }
  }

}
