import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

extension FuzzTarget {
  /// Whole messages of an admitted guest, one after another: to the party's machine, and what they say of playback to
  /// the coordinator's. Each is preceded by its delivery and its length in two bytes, the higher first.
  static let conversation = FuzzTarget(
    "conversation", seeds: conversations, isAccepted: { messages(in: $0).count >= 3 }
  ) { bytes in
    var table = FuzzTable.settled
    var now = coordinationTime
    var coordinator = CoordinatorMachine(me: FuzzTable.id(0))
    _ = coordinator.transition(to: "film", proposing: nil, isPlayerReady: true, at: now)
    for (delivery, message) in messages(in: bytes).prefix(64) {
      now = now + .milliseconds(20)
      table.say(message, delivery, sequence: table.nextEvent)
      if case .coordination(let report) = message,
        let signed = try? JSONDecoder().decode(SignedReport.self, from: report.data)
      {
        _ = coordinator.received(signed.report, from: FuzzTable.id(1), at: now)
      }
      if case .beacon(let beacon) = message, let brief = beacon.brief.flatMap({ ReportBrief($0) }) {
        coordinator.received(brief, from: FuzzTable.id(1))
      }
      if let due = coordinator.nextDeadline, due <= now { _ = coordinator.timerFired(at: now) }
    }
    try table.check()
    try hold(
      coordinator.states.count <= CoordinatorMachine.stateLimit,
      "\(coordinator.states.count) states")
    for state in coordinator.states.values where state.stamp.time > 0 {
      try hold(state.isSensible(at: now), "\(state)")
    }
  }

  /// Those that can be read, in order.
  private static func messages(in bytes: [UInt8]) -> [(Envelope.Delivery, WireMessage)] {
    var messages: [(Envelope.Delivery, WireMessage)] = []
    var rest = bytes[...]
    while rest.count >= 3 {
      let header = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let payload = rest.prefix(Int(header[1]) << 8 | Int(header[2]))
      rest = rest.dropFirst(payload.count)
      guard let message = try? WireMessage(decoding: Array(payload)) else { continue }
      let delivery = Envelope.Delivery(rawValue: header[0])
      messages.append((delivery ?? natural(message), message))
    }
    return messages
  }

  /// In the way in which its kind is said.
  private static func natural(_ message: WireMessage) -> Envelope.Delivery {
    switch message {
    case .chat, .session, .coordination, .app, .leave, .charter: .event
    case .beacon: .beacon
    case .journal: .journal
    case .probe, .probeReply, .resendRequest, .resendRefusal, .stateRequest, .state, .farewell,
      .charterRequest, .coordinationRequest, .arrival, .welcome, .vector, .originals, .roster:
      .direct
    }
  }

  private static var conversations: [[UInt8]] {
    func line(_ message: WireMessage) -> [UInt8] {
      let payload = message.encoded()
      return [natural(message).rawValue, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        + payload
    }
    let reports = coordinationReports.enumerated().map { number, data in
      WireMessage.coordination(
        CoordinationReport(
          session: GroupSessionID(rawValue: 9), data: Data(data), version: UInt64(number + 1)))
    }
    return [
      samples.flatMap(line), reports.flatMap(line),
      samples.filter { if case .leave = $0 { false } else { true } }.flatMap(line)
        + reports.flatMap(line),
    ]
  }
}
