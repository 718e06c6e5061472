import Foundation
import PartyTesting
import SessionTesting
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting

private struct Stroke: Codable, Hashable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "stroke"
  var x: Int
}

/// The same message as in a later version of the program.
private struct NewerStroke: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "stroke"
  static let messageVersion = 2
  var x: Int
}

@Suite("The session messenger", .serialized)
struct MessengerTests {
  @Test("Reliable messages come once and in order, also across a link that was cut")
  func reliable() async throws {
    let test = try await TestParty()
    let messenger = GroupSessionMessenger(session: test.sessions[0])
    for x in 0..<5 { try await messenger.send(Stroke(x: x)) }
    test.transports[1].cut()
    for x in 5..<10 { try await messenger.send(Stroke(x: x)) }
    test.transports[0].cut()
    for x in 10..<15 { try await messenger.send(Stroke(x: x)) }
    test.transports[0].restore()
    test.transports[1].restore()
    for x in 15..<20 { try await messenger.send(Stroke(x: x)) }
    for (session, party) in zip(test.sessions, test.parties).dropFirst() {
      // Requested only now: messages that came before were kept.
      let reader = GroupSessionMessenger(session: session)
      let received = Received<Int>()
      _ = try await first(of: reader.messages(of: Stroke.self)) { stroke, context in
        received.add(stroke.x)
        return stroke.x == 19 && context.source.id == test.parties[0].localID
      }
      #expect(received.values == Array(0..<20))
      #expect(await party.rejections.invalid == 0)
    }
    await test.close()
  }

  @Test("A message of 256 KiB arrives whole, and one byte more is refused")
  func large() async throws {
    let test = try await TestParty()
    let data = Data((0..<GroupSessionMessenger.sizeLimit).map { UInt8(truncatingIfNeeded: $0 / 7) })
    for mode in [GroupSessionMessenger.DeliveryMode.reliable, .unreliable] {
      let messenger = GroupSessionMessenger(session: test.sessions[0], deliveryMode: mode)
      try await messenger.send(data)
      for session in test.sessions.dropFirst() {
        let reader = GroupSessionMessenger(session: session)
        let message = try await first(of: reader.messages(of: Data.self)) { _ in true }
        #expect(message?.0 == data)
      }
      let size = data.count + 1
      await #expect(throws: PartyError.tooLarge(bytes: size, limit: data.count)) {
        try await messenger.send(data + [0])
      }
    }
    await test.close()
  }

  @Test("A message to some participants reaches only them")
  func some() async throws {
    let test = try await TestParty()
    let messenger = GroupSessionMessenger(session: test.sessions[0])
    let ben = await test.parties[1].localParticipant
    try await messenger.send(Stroke(x: 1), to: .only(ben))
    try await messenger.send(Stroke(x: 2))
    let toBen = GroupSessionMessenger(session: test.sessions[1]).messages(of: Stroke.self)
    #expect(try await first(of: toBen) { _ in true }?.0.x == 1)
    // Messages are in order: a first message for Chi too would have come first.
    let toChi = GroupSessionMessenger(session: test.sessions[2]).messages(of: Stroke.self)
    #expect(try await first(of: toChi) { _ in true }?.0.x == 2)
    await test.close()
  }

  @Test("A message of a newer version is skipped and reported")
  func newerVersion() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let strokes = GroupSessionMessenger(session: test.sessions[1]).messages(of: Stroke.self)
    let messenger = GroupSessionMessenger(session: test.sessions[0])
    try await messenger.send(NewerStroke(x: 1))
    try await messenger.send(Stroke(x: 2))
    #expect(try await first(of: strokes) { _ in true }?.0.x == 2)
    let ana = await test.parties[0].localParticipant
    let told = try await first(of: test.parties[1].events) {
      $0 == .skippedMessage(type: "app.stroke", version: 2, from: ana)
    }
    #expect(told != nil)
    await test.close()
  }

  @Test("Messages of invented types are reported sixteen times at most, each once")
  func inventedTypes() async throws {
    try await Evening.run { evening, mallory in
      // Ana's program has no room for messages that nobody reads.
      let data = Data(count: AppMessage.partSize)
      let seen = try await evening.during {
        for number in 0..<90 {
          try mallory.say(
            .app(
              AppMessage(
                session: evening.session.id, type: "app.invented \(number / 2)", version: 9,
                data: data)))
        }
      }
      let skipped = seen.events.compactMap {
        if case .skippedMessage(let type, _, _) = $0 { type } else { nil }
      }
      #expect(Set(skipped).count == skipped.count && skipped.count == 16, "\(skipped)")
    }
  }

  @Test("A burst over the limit throws, and the messages sent before arrive")
  func burst() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let messenger = GroupSessionMessenger(session: test.sessions[0])
    var sent = 0
    await #expect(throws: PartyError.tooManyMessages) {
      for x in 0..<10_000 {
        try await messenger.send(Stroke(x: x))
        sent = x + 1
      }
    }
    #expect(sent >= 100)
    let received = Received<Int>()
    let strokes = GroupSessionMessenger(session: test.sessions[1]).messages(of: Stroke.self)
    let last = sent - 1
    _ = try await first(of: strokes) { stroke, _ in
      received.add(stroke.x)
      return stroke.x == last
    }
    // The first 64 were kept before there was a reader; the reader came later than some of the
    // others.
    #expect(received.values.prefix(64) == ArraySlice(0..<64))
    await test.close()
  }

  @Test("A notice reaches the others with its sender as the originator")
  func notice() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let ben = await test.parties[1].localParticipant
    let ana = await test.parties[0].localParticipant
    // The notice names another originator.
    try await test.sessions[0].showNotice(
      GroupSessionEvent(originator: ben, action: .skip(item: "Next\u{1b}[2J"), url: nil))
    let told = try await first(of: test.parties[1].events) {
      if case .notice = $0 { true } else { false }
    }
    #expect(
      told == .notice(GroupSessionEvent(originator: ana, action: .skip(item: "Next [2J"))))
    await test.close()
  }

  @Test("A message can't be sent in a session that is over")
  func over() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let messenger = GroupSessionMessenger(session: test.sessions[1])
    let strokes = GroupSessionMessenger(session: test.sessions[1]).messages(of: Stroke.self)
    try await test.sessions[0].end()
    #expect(try await first(of: strokes) { _ in true } == nil)
    await #expect(throws: PartyError.sessionOver) { try await messenger.send(Stroke(x: 1)) }
    await test.close()
  }
}

@Suite("Messages in parts")
struct AppMessagePartTests {
  private func message(_ count: Int) -> AppMessage {
    AppMessage(
      session: GroupSessionID(rawValue: 1), type: "t", version: 1,
      data: Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }), recipients: nil)
  }

  @Test(
    "A split message is whole again, in whatever order the parts come",
    arguments: [0, 1, 32 * 1024, 32 * 1024 + 1, 100_000, 256 * 1024])
  func roundTrip(count: Int) {
    let whole = message(count)
    let parts = whole.split(id: 7)
    #expect(parts.allSatisfy { $0.isWithinLimits })
    var assembler = AppMessageAssembler(limit: 1)
    let finished = parts.reversed().compactMap { assembler.partReceived($0) }
    #expect(finished == [whole])
  }

  @Test("Messages with missing parts don't accumulate")
  func bounded() {
    var assembler = AppMessageAssembler(limit: 2)
    for id in 0..<100 {
      #expect(assembler.partReceived(message(100_000).split(id: UInt64(id))[0]) == nil)
    }
    var finished: [AppMessage] = []
    // The two newest are still there; the one before them was discarded.
    for id in [97, 98, 99] {
      for part in message(100_000).split(id: UInt64(id)).dropFirst() {
        if let whole = assembler.partReceived(part) { finished.append(whole) }
      }
    }
    #expect(finished.count <= 2)
  }

  @Test("Each number is admitted once, in any order within the window")
  func window() {
    var window = ReplayWindow()
    #expect(
      [3, 1, 2, 3, 1, 0, 70, 7, 6, 70, 7].map { window.admit($0) } == [
        true, true, true, false, false, false, true, true, false, false, false,
      ])
  }
}
