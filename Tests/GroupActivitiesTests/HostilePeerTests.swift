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
    .init(.event, "{}"),
    .init(.event, "null"),
    .init(.event, #"{"t":"chat","v":1}"#),
    .init(.event, #"{"t":"chat","v":1,"b":{"text":7}}"#),
    .init(.event, #"{"t":"chat","v":1,"b":{"text":""}}"#),
    .init(.event, #"{"t":"chat","v":1,"b":{"text":"\u001b\u0007\u202e\u2066\u200b"}}"#),
    .init(.event, #"{"t":"chat","v":1,"b":{"text":"\ud800"}}"#),
    .init(.event, #"{"t":"chat","v":1e400,"b":{"text":"x"}}"#),
    .init(.event, #"{"t":"chat","v":99999999999999999999,"b":{"text":"x"}}"#),
    .init(.event, #"{"t":"chat","v":1.5,"b":{"text":"x"}}"#),
    .init(.event, #"{"t":"chat","v":1,"b":"# + String(repeating: "[", count: 30_000)),
    .init(.event, String(repeating: #"{"b":"#, count: 12_000)),
    .init(.event, "{\"t\":\"chat\",\"v\":1,\"b\":{\"text\":\"\u{0}"),
    .init(.beacon(.of(""))),
    .init(.beacon(.of("\u{202e}\u{200d}"))),
    .init(.beacon(.of(String(repeating: "x", count: 1025)))),
    .init(.beacon(.of("x", joinedAt: -5))),
    .init(.beacon(.of("x", joinedAt: nil))),
    // Truncated, with trailing bytes, with half a character, with a number without an end.
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded().dropLast()),
    .init(.beacon, bytes: WireMessage.beacon(.of("x")).encoded() + [0]),
    .init(.beacon, bytes: Array("B".utf8) + [7, 1, 0, 1, 0xff, 0, 0, 0, 0, 1]),
    .init(
      .beacon, bytes: Array("B".utf8) + [7, 1, 0, 1, 0x41] + Array(repeating: 0xff, count: 40)),
    .init(.beacon, bytes: Array("B".utf8) + [7]),
    .init(.beacon, bytes: WireMessage.beacon(.of("x", sessions: 5)).encoded()),
    .init(.direct, bytes: Array("B".utf8) + [5, 1, 0xff, 0xff, 0x7f, 0]),
    .init(.direct, bytes: Array("B".utf8) + [4, 1, 1, 7]),
    .init(.direct, #"{"t":"chat","v":1,"b":{"text":"x"}}"#),
    .init(.direct, bytes: Array("B".utf8) + [2, 1, 9]),
    .init(.direct, #"{"t":"arrival","v":1,"b":{"nonce":1e30}}"#),
    .init(.direct, #"{"t":"resend-request","v":1,"b":{"from":-1,"through":2}}"#),
    .init(.direct, #"{"t":"leave","v":1,"b":{}}"#),
  ]

  @Test("Contents that break a rule change nothing and are counted as invalid")
  func invalidContents() async throws {
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
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

  @Test("Messages of unknown types and versions are skipped, and reported once each")
  func unknown() async throws {
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
      let before = await evening.view
      let seen = try await evening.during {
        for number in 0..<500 {
          try mallory.say(.init(.direct, #"{"t":"gift\#(number)\u001b[2J","v":1,"b":{}}"#))
          try mallory.say(.init(.direct, #"{"t":"chat","v":2,"b":{"text":"x"}}"#))
          try mallory.say(.init(.direct, #"{"t":"chat","v":-9223372036854775808,"b":{}}"#))
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
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
      let rules = await evening.ana.rules
      let proof = #""p":{"k":"","s":""}"#
      let id = String(
        decoding: try JSONEncoder().encode(evening.ana.localID), as: UTF8.self)
      let links = [#"{"lunch":{"_0":"soup"}}"#, #"{"waiting":{"_0":"friends"}}"#].map {
        #"{"t":"charter","v":1,"b":{"links":[{"a":\#($0),"i":\#(id),\#(proof)}]}}"#
      }
      let seen = try await evening.during {
        for text in links + links { try mallory.say(.init(.event, text)) }
        try mallory.say(.chat(ChatText(text: "still here")))
      }
      #expect(seen.rejections.unknown == 4 && seen.rejections.invalid == 0)
      let warnings = seen.events.compactMap { event -> String? in
        if case .warning(let text) = event { text } else { nil }
      }
      #expect(warnings.count == 2 && warnings[0].contains("charter with lunch"))
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
    try await Evening.run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
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
