import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation

/// A party of machines on a network that counts.
enum SimulatedParty {
  /// Of whom all is simulated, and whose cost is counted: what ten thousand hear each is more than a machine
  /// simulates in minutes.
  private static let whole = 250

  static func measure(size: Int, seconds: Double) -> Cost {
    var crowd = Crowd(size, whole: whole)
    crowd.tick = .milliseconds(size > 1000 ? 50 : 20)
    // They come in two minutes at most.
    let pause = Duration.milliseconds(max(20, min(400, 120_000 / size)))
    for index in 0..<size {
      crowd.arrive(index)
      crowd.run(for: pause)
    }
    // The clock is asked more often while it is new.
    crowd.run(for: .seconds(120))
    crowd.forgetTraffic()
    crowd.run(for: .seconds(seconds))
    let members = crowd.members.prefix(whole)
    let received = members.map { Double($0.got) / seconds }
    let sent = members.map { Double($0.sent) / seconds }
    return Cost(
      size: size, received: received, sent: sent, reference: (received[0], sent[0]),
      counted: crowd.members[min(size, whole) / 2].machine.participantCount)
  }
}
