import Foundation
import Timekeeping

@testable import GroupActivities

/// A party of two from arrival to departure, with an activity, chat, reports and rules. Mallory's
/// messages pass through ``rewrite`` on their way, as bytes.
struct FuzzEvening {
  /// The messages that she sent, as ``tagged(_:)``, before they were rewritten.
  private(set) var sent: [[UInt8]] = []
  /// The number of rewritten messages that could be read.
  private(set) var readable = 0

  private var machines: [PartyMachine]
  private let mallory: Int
  private let rewrite: ([UInt8]) -> [UInt8]
  private var now = HostTime(nanoseconds: 1_000_000_000_000)

  /// - Parameter malloryHosts: a host's clock is the group's, and its welcome is a newcomer's first
  ///   knowledge.
  init(malloryHosts: Bool, rewrite: @escaping ([UInt8]) -> [UInt8] = { $0 }) {
    self.rewrite = rewrite
    let mallory = malloryHosts ? 0 : 1
    self.mallory = mallory
    machines = [0, 1].map { index in
      PartyMachine(
        .init(
          id: FuzzTable.id(index), epoch: UInt64(index + 1), party: FuzzTable.id(0),
          name: index == mallory ? "Mallory" : "Ana", random: .seeded(UInt64(index + 1))))
    }
  }

  mutating func run() {
    for index in [0, 1] {
      perform(index, machines[index].connected(at: now))
      pass(steps: 8)
    }
    for index in [0, 1] {
      perform(index, machines[index].sendChat("hello"))
      let activity = Data(#"{"number":7}"#.utf8)
      perform(
        index, machines[index].activate(identifier: "film", activity: activity, at: now) ?? [])
      pass(steps: 2)
      guard let session = machines[index].sessions.all.last?.id else { continue }
      perform(index, machines[index].joinSession(session, at: now))
      perform(
        index,
        machines[index].setCoordination(
          Data([1, 2, 3]), session: session, isCommand: true))
      machines[index].setCoordinationDigest(Data(repeating: 7, count: 16), session: session)
      let message = AppMessage(session: session, type: "t", version: 1, data: Data([1, 2, 3]))
      for isLoose in [true, false] {
        perform(index, machines[index].send(message, isLoose: isLoose, at: now) ?? [])
      }
    }
    perform(0, machines[0].amend(.appointCoHost(FuzzTable.id(1)), at: now) ?? [])
    pass(steps: 12)
    perform(mallory, machines[mallory].leave())
    pass(steps: 4)
  }

  private mutating func pass(steps: Int) {
    for _ in 0..<steps {
      now = now + .milliseconds(250)
      for index in [0, 1] { perform(index, machines[index].timerFired(at: now)) }
    }
  }

  private mutating func perform(_ index: Int, _ actions: [PartyAction]) {
    for case .send(let message, let sequence, let recipient) in actions {
      let other = 1 - index
      if case .only(let id) = recipient, id != FuzzTable.id(other) { continue }
      var arriving = message
      if index == mallory {
        let bytes = Self.tagged(message)
        sent.append(bytes)
        guard let read = Self.message(rewrite(bytes)) else { continue }
        readable += 1
        arriving = read
      }
      now = now + .milliseconds(1)
      let inbound = InboundMessage(
        sender: FuzzTable.id(index), epoch: UInt64(index + 1), sequence: sequence,
        message: arriving, receivedAt: now)
      perform(other, machines[other].received(inbound, at: now))
    }
  }

  /// Returns a message with its delivery before it.
  static func tagged(_ message: WireMessage) -> [UInt8] {
    [message.delivery.rawValue] + message.encoded()
  }

  /// - Returns: nil for bytes that no program can read.
  static func message(_ tagged: [UInt8]) -> WireMessage? {
    guard let delivery = tagged.first.flatMap(Envelope.Delivery.init) else { return nil }
    return try? WireMessage(decoding: tagged.dropFirst(), as: delivery)
  }
}
