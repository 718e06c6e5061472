import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

extension FuzzTarget {
  /// Whole messages of an admitted guest to the party's machine, one after another. Before each
  /// come its delivery, and its length in two bytes, the higher first.
  static let conversation = FuzzTarget(
    "conversation", seeds: conversations, isAccepted: { messages(in: $0).count >= 3 }, limit: 4096
  ) { bytes in
    var table = FuzzTable.settled
    let messages = messages(in: bytes).prefix(64)
    for message in messages {
      if case .event(.leave) = message { continue }
      table.say(message, sequence: table.nextEvent)
    }
    // The rules may exclude her, since nothing is signed here.
    try hold(
      table.isHeard() || !table.ana.rules.admits(FuzzTable.id(1)), "Mallory isn't heard any more")
    for case .event(.leave(let leave)) in messages {
      table.say(.leave(leave), sequence: table.nextEvent)
    }
    try table.check()
  }

  /// Messages of two admitted guests about playback to the coordinator's machine, one after
  /// another: reports as they are sent, and the short form that beacons carry. Before each come a
  /// byte for its author, for its form and for the time since the one before, and its length in two
  /// bytes, the higher first.
  static let commands = FuzzTarget(
    "commands", seeds: evenings, isAccepted: { remarks(in: $0).count >= 3 }, limit: 4096
  ) { bytes in
    var now = coordinationTime
    var coordinator = CoordinatorMachine(me: FuzzTable.id(0))
    _ = coordinator.transition(to: "film", proposing: nil, isPlayerReady: true, at: now)
    for remark in remarks(in: bytes).prefix(64) {
      now = now + .milliseconds(1 << remark.pause)
      switch remark.content {
      case .report(let report): _ = coordinator.received(report, from: remark.author, at: now)
      case .digest(let digest): coordinator.received(digest, from: remark.author)
      }
      if let due = coordinator.nextDeadline, due <= now { _ = coordinator.timerFired(at: now) }
    }
    try hold(
      coordinator.states.count <= CoordinatorMachine.stateLimit,
      "\(coordinator.states.count) states")
    for state in coordinator.states.values where state.stamp.time > 0 {
      try hold(state.isSensible(at: now), "\(state)")
    }
  }

  private struct Remark {
    enum Content {
      case report(ParticipantReport)
      case digest(ReportDigest)
    }
    var author: Participant.ID
    /// The binary logarithm of the pause in milliseconds.
    var pause: Int
    var content: Content
  }

  /// Returns the readable remarks, in order.
  private static func remarks(in bytes: [UInt8]) -> [Remark] {
    var remarks: [Remark] = []
    var rest = bytes[...]
    while rest.count >= 3 {
      let header = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let payload = Data(rest.prefix(Int(header[1]) << 8 | Int(header[2])))
      rest = rest.dropFirst(payload.count)
      let content: Remark.Content
      if header[0] & 2 == 0 {
        guard let signed = try? SignedReport(binary: payload) else { continue }
        content = .report(signed.report)
      } else {
        guard let digest = try? ReportDigest(binary: payload) else { continue }
        content = .digest(digest)
      }
      remarks.append(
        Remark(
          author: FuzzTable.id(header[0] & 1 == 0 ? 1 : 2), pause: Int(header[0] >> 4),
          content: content))
    }
    return remarks
  }

  private static var evenings: [[UInt8]] {
    // 20 ms, none, -5 ms, 7 ms, 64 %.
    let digest: [UInt8] = [0b11101, 40, 9, 14, 128, 1]
    func line(_ header: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [header, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }
    let reports = coordinationReports
    return [
      reports.flatMap { line(0x50, $0) } + line(0x53, digest),
      reports.flatMap { line(0xA1, $0) } + reports.reversed().flatMap { line(0x40, $0) },
      line(0x52, digest) + reports.flatMap { line(0x51, $0) + line(0x52, digest) },
    ]
  }

  /// Returns the readable messages, in order.
  private static func messages(in bytes: [UInt8]) -> [WireMessage] {
    var messages: [WireMessage] = []
    var rest = bytes[...]
    while rest.count >= 3 {
      let header = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let payload = rest.prefix(Int(header[1]) << 8 | Int(header[2]))
      rest = rest.dropFirst(payload.count)
      if let message = FuzzEvening.message([header[0]] + payload) { messages.append(message) }
    }
    return messages
  }

  private static var conversations: [[UInt8]] {
    func line(_ message: WireMessage) -> [UInt8] {
      let payload = message.encoded()
      return [message.delivery.rawValue, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        + payload
    }
    let reports = coordinationReports.enumerated().map { number, data in
      WireMessage.coordination(
        CoordinationReport(
          session: GroupSessionID(rawValue: 9), data: Data(data), version: UInt64(number + 1)))
    }
    return [
      samples.flatMap(line), reports.flatMap(line),
      samples.filter { if case .event(.leave) = $0 { false } else { true } }.flatMap(line)
        + reports.flatMap(line),
    ]
  }
}
