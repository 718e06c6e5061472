import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting

/// A member that turned hostile: it has the invite's secret and a key of its own.
@Suite("A hostile member", .timeLimit(.minutes(1)))
struct HostilePeerTests {
  @Test("A peer that has the secret but never answers a challenge isn't admitted")
  func unanswered() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let mallory = try await HostileGuest(evening)
      let seen = try await evening.during {
        try mallory.say(.beacon(HostileGuest.beacon("Ana")))
        try mallory.say(.chat(ChatText(text: "it's me")))
        try mallory.say(.session(SessionTests.register(.max, by: mallory.identity.id)))
        for _ in 0..<100 { try mallory.say(.leave(Leave())) }
      }
      #expect(seen.events.isEmpty)
      #expect(seen.rejections.stale >= 103 - PeerRecord.heldLimit)
      #expect(await evening.view == before)
    }
  }

  @Test("No participant can send messages under another one's key")
  func forged() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let mallory = try await HostileGuest(evening)
      let seen = try await evening.during {
        for subject in [evening.everyone, evening.anasSubject] {
          try mallory.forge(
            .chat(ChatText(text: "I'm the host")), publicKey: evening.founding.identity.publicKey,
            to: subject)
          try mallory.forge(
            .leave(Leave()), publicKey: ParticipantIdentity().publicKey, to: subject)
          try mallory.forge(
            .leave(Leave()), publicKey: [UInt8](repeating: 255, count: 32), to: subject)
        }
      }
      #expect(seen.events.isEmpty)
      #expect(seen.rejections.forged == 6)
      #expect(await evening.view == before)
    }
  }

  @Test("A member can't take over the host's name, role or clock")
  func pretender() async throws {
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: .of("Ana", joinedAt: .min))
      for party in [evening.ana, evening.ben] {
        let everybody = await party.participants
        #expect(everybody.filter(\.isHost).map(\.id) == [evening.ana.localID])
        #expect(everybody.filter { $0.name == "Ana" }.map(\.id) == [evening.ana.localID])
        #expect(Set(everybody.map(\.name)).count == everybody.count)
      }
      #expect(evening.ana.clock.reading?.isReference == true)
      #expect(evening.ana.clock.reading?.offset == .zero)
    }
  }

  /// Contents that break a rule, each of which is refused.
  static let invalid: [HostileGuest.Payload] = [
    .init(.event, ""),
    // A chat without a text, without characters that are shown, with half a character, cut off, and one whose length is
    // longer than necessary.
    .init(.event, bytes: [1]),
    .init(.event, bytes: [1, 0]),
    .init(.chat(ChatText(text: "\u{1b}\u{7}\u{202e}\u{2066}\u{200b}"))),
    .init(.event, bytes: [1, 1, 0xC3]),
    .init(.event, bytes: [1, 4, 0x78]),
    .init(.event, bytes: [1, 0x81, 0, 0x78]),
    // More bytes than a chat has, in words and really.
    .init(.event, bytes: [1, 0xFF, 0xFF, 0xFF, 0x7F, 0x78]),
    .init(.chat(ChatText(text: String(repeating: "x", count: 57_345)))),
    // A departure that closes the party and leaves its relay behind, and one with an unknown flag.
    .init(.event, bytes: [6, 3]),
    .init(.event, bytes: [6, 4]),
    .init(.beacon(.of(""))),
    .init(.beacon(.of("\u{202e}\u{200d}"))),
    .init(.beacon(.of(String(repeating: "x", count: 1025)))),
    .init(.beacon(.of("x", joinedAt: -5))),
    .init(.beacon(.of("x", joinedAt: nil))),
    // Truncated, with trailing bytes, with half a character, with a number without an end.
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded().dropLast()),
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded() + [0]),
    .init(.beacon, bytes: [1, 0, 1, 0xff, 0, 0, 0, 0, 0, 1]),
    .init(.beacon, bytes: [1, 0, 1, 0x41] + Array(repeating: 0xff, count: 40)),
    .init(.beacon, bytes: [1]),
    .init(.beacon, bytes: WireMessage.beacon(.of("x", sessions: 5)).encoded()),
    // A number without its block, and two that don't rise.
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded() + [7]),
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded() + [7, 0, 7, 0]),
    .init(.direct, bytes: [15, 1, 0xff, 0xff, 0x7f, 0]),
    .init(.direct, bytes: [14, 1, 1, 7]),
    .init(.direct, bytes: [1, 9]),
    .init(.direct, bytes: [1] + Array(repeating: 0, count: 8) + [2]),
    .init(.direct, bytes: [7, 0]),
    .init(.direct, bytes: [7]),
  ]

  @Test("Contents that break a rule change nothing and are counted as invalid")
  func invalidContents() async throws {
    try await Evening.run { evening, mallory in
      let before = await evening.view
      var told: [PartyEvent] = []
      for payload in Self.invalid {
        let seen = try await evening.during { try mallory.say(payload) }
        let text = String(decoding: payload.bytes.prefix(80), as: UTF8.self)
        told += seen.events
        #expect(seen.rejections.invalid == 1, "\(text)")
      }
      // The participant is reported once, not each time.
      guard case .misbehaved(let who, .malformed)? = told.first, told.count == 1 else {
        Issue.record("\(told)")
        return
      }
      #expect(who.id == mallory.identity.id)
      #expect(await evening.view == before)
    }
  }

  @Test("Messages of unknown types are skipped, and reported once each")
  func unknown() async throws {
    try await Evening.run { evening, mallory in
      let before = await evening.view
      let seen = try await evening.during {
        for number in 0..<500 {
          try mallory.say(.init(.direct, bytes: [UInt8(19 + number % 200)]))
          try mallory.say(.init(.event, bytes: [UInt8(7 + number % 200), 1, 2]))
          try mallory.say(.init(.beacon, bytes: [2]))
        }
      }
      #expect(seen.rejections.unknown == 1500)
      #expect(seen.events.count <= 16, "a flood of reports would crowd out what people say")
      for case .warning(let text) in seen.events {
        #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      }
      #expect(await evening.view == before)
    }
  }

  @Test(
    "A policy log with a rule of a newer version is refused as a whole, and later messages are processed"
  )
  func newerRule() async throws {
    try await Evening.run { evening, mallory in
      let rules = await evening.ana.rules
      // A kind of change, and a value of a known one, that only newer programs know.
      let logs: [[UInt8]] = [[77], [3, 2]].map { change in
        [5, 0, 1] + evening.ana.localID.bytes + change + Proof.empty.binary
      }
      let seen = try await evening.during {
        for log in logs + logs { try mallory.say(.init(.event, bytes: log)) }
        try mallory.say(.chat(ChatText(text: "still here")))
      }
      #expect(seen.rejections.unknown == 4 && seen.rejections.invalid == 0)
      let warnings = seen.events.compactMap { event -> String? in
        if case .warning(let text) = event { text } else { nil }
      }
      #expect(warnings.count == 2 && warnings[0].contains("rule 77"))
      #expect(
        seen.events.contains { if case .chat(_, "still here") = $0 { true } else { false } },
        "nothing waits for what can't be read")
      #expect(await evening.ana.rules == rules)
    }
  }

  @Test("Numbers at the limits of their encoding change nothing")
  func edges() async throws {
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      let beacon = HostileGuest.beacon()
      try await mallory.enter(evening, as: beacon)
      let before = await evening.view
      let seen = try await evening.during {
        for extreme in [Int64.min, -1, 0, 1, .max] {
          var odd = beacon
          odd.lastEvent = UInt64(bitPattern: extreme)
          odd.clockUncertainty = extreme
          odd.clockRoundTrip = extreme
          odd.sessions = [
            .init(kind: 7, stamp: Stamp(time: extreme, participant: mallory.identity.id))
          ]
          try mallory.say(.beacon(odd))
          let number = UInt64(bitPattern: extreme)
          let subject = evening.anasSubject
          for message: WireMessage in [
            .resendRequest(ResendRequest(from: number, through: number)),
            .resendRequest(ResendRequest(from: 0, through: number)),
            .resendRefusal(ResendRefusal(through: number)),
            .probeReply(
              ProbeReply(
                nonce: number,
                times: .init(
                  received: GroupTime(nanoseconds: extreme), sent: GroupTime(nanoseconds: extreme),
                  uncertainty: extreme), baseline: number)),
            .probe(Probe(nonce: number, introduction: true)),
          ] {
            try mallory.send(.init(message), .direct, 0, to: subject)
          }
          for sequence in [number, number &+ 1, number &- 1] {
            try mallory.send(.init(.beacon(odd)), .beacon, sequence, to: subject)
            try mallory.send(.init(.leave(Leave())), .event, sequence, to: evening.anasSubject)
          }
        }
        let far = SessionTests.register(.max, by: mallory.identity.id)
        try mallory.send(.init(.state(far)), .direct, 0, to: evening.anasSubject)
      }
      // Its own departure may have counted; no other participant is affected.
      #expect(seen.events.allSatisfy { $0.isOnly(about: mallory.identity.id) })
      #expect(await evening.view.film == before.film)
      let others = await evening.view.participants.filter { $0.id != mallory.identity.id }
      #expect(others == before.participants.filter { $0.id != mallory.identity.id })
      #expect(seen.rejections.stale + seen.rejections.invalid > 10)
    }
  }

  @Test("A long or coloured text is shown as one plain line")
  func text() async throws {
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(
        evening,
        as: HostileGuest.beacon("\u{1B}]0;owned\u{7}\u{202E}Mal\u{2028}lory\n" + filler.prefix(900))
      )
      let name = try #require(
        await evening.ana.participants.first { $0.id == mallory.identity.id }?.name)
      #expect(name.hasPrefix("]0;owned Mal lory x") || name.hasPrefix("]0;ownedMal lory x"))
      #expect(name.count <= PartyText.nameLimit)
      let seen = try await evening.during {
        try mallory.say(.chat(ChatText(text: "\u{9B}31m\u{202D}one\r\ntwo\u{85}" + filler)))
      }
      guard case .chat(_, let text)? = seen.events.first else {
        Issue.record("no chat came: \(seen.events)")
        return
      }
      #expect(text.hasPrefix("31mone two x"))
      #expect(text.count <= PartyText.chatLimit)
    }
  }

  private let filler = String(repeating: "x", count: 40_000)

  @Test(
    "A flood of valid messages is limited to the rate of one member", .needsFullSpeed)
  func flood() async throws {
    try await Evening.run { evening, mallory in
      let before = await evening.view
      let begin = HostTime.now()
      let seen = try await evening.during {
        for number in 0..<3000 { try mallory.say(.chat(ChatText(text: "\(number)"))) }
      }
      let allowance = RateAllowance.inbound(at: begin)
      let allowed = allowance.burst + allowance.perSecond * (.now() - begin).inSeconds
      let heard = seen.events.count
      #expect(Double(heard) <= allowed)
      #expect(Double(seen.rejections.excess) >= 3000 - allowed)
      #expect(await evening.view == before)
    }
  }
}

extension PartyEvent {
  /// Returns whether the event is about this participant only.
  func isOnly(about id: Participant.ID) -> Bool {
    switch self {
    case .participantJoined(let who), .participantLeft(let who, _), .renamed(let who, _),
      .chat(let who, _):
      who.id == id
    case .eventsMissing(let from, _): from == id
    case .activityChanged(_, let by), .sessionEnded(_, let by), .rulesChanged(_, _, let by):
      by == id
    case .skippedMessage(_, _, let from): from.id == id
    case .notice(let notice): notice.originator.id == id
    case .misbehaved(let who, _): who.id == id
    case .warning: true
    case .joined, .connected, .disconnected, .closed, .foregroundRequested: false
    }
  }
}
