import Crypto
import Foundation
import ProcessTesting
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting

/// Attacks on a party under way, by a member and by a broker, while Ana and Ben continue.
@Suite("A party under siege", .timeLimit(.minutes(2)))
struct SiegeTests {
  /// Checks the reports that the attacked participants get of an attack: messages were rejected,
  /// and no participant other than the culprit is named.
  ///
  /// - Parameters:
  ///   - culprit: the attacker; nil if no signature names it.
  ///   - isNamed: a Boolean value that indicates whether the user learns its name.
  static func expectTold(
    _ seen: (events: [PartyEvent], rejections: PartyRejections), of culprit: Participant.ID?,
    atLeast count: Int = 1, isNamed: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(seen.rejections.total >= count, sourceLocation: sourceLocation)
    if let culprit, isNamed {
      #expect(
        seen.events.contains {
          if case .misbehaved(let who, _) = $0 { who.id == culprit } else { false }
        },
        "\(seen.events)", sourceLocation: sourceLocation)
    }
    for event in seen.events {
      #expect(culprit.map(event.isOnly) ?? false, "\(event)", sourceLocation: sourceLocation)
    }
  }

  @Test("10,000 strangers who never answer a challenge take little memory, and Ben is heard")
  func fakeJoins() {
    var gathering = Gathering.gathered("Ana", "Ben")
    var most = 0
    // This thread's processor time for each thousand: other programs don't count.
    var costs: [Duration] = []
    var begin = ThreadTime.now
    for number in 0..<10_000 as Range<UInt64> {
      gathering.hand(
        Gathering.Packet(
          due: .zero, from: Participant.ID(high: 9, low: number), epoch: 1, to: Gathering.id(0),
          sequence: 1, message: .beacon(.of("Ghost"))), to: 0)
      most = max(most, gathering.members[0].machine.roster.count)
      if number % 1000 == 999 {
        gathering.chat("after \(number)", by: 1)
        gathering.run(for: .milliseconds(500))
        #expect(gathering.chats(0).last == "after \(number)")
        costs.append(ThreadTime.now - begin)
        begin = ThreadTime.now
      }
    }
    // Except for noise, the last thousand costs no more than an early one: no cost grows with their
    // number.
    #expect(costs[9] < costs[1...3].max()! * 4, "\(costs)")
    #expect(most <= Roster.limit)
    #expect(gathering.members[0].machine.asked.probes.pending.count <= SentProbes.limit)
    #expect(gathering.others(0) == ["Ben"] && gathering.departures(0).isEmpty)
    // After they have stopped they are forgotten.
    gathering.run(for: .seconds(60))
    #expect(gathering.members[0].machine.roster.count <= 2)
    #expect(gathering.others(0) == ["Ben"])
  }

  @Test("1,000 strangers at once, sealed and signed, don't make Ben look silent", .needsFullSpeed)
  func backlog() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let beacon = WireMessage.beacon(HostileGuest.beacon("Ghost")).encoded()
      let seen = try await evening.during {
        for _ in 0..<1000 {
          let ghost = ParticipantIdentity()
          let sealer = EnvelopeSealer(
            party: evening.ana.localID, identity: ghost, keys: evening.founding.keys)
          try evening.inject(
            sealer.seal(
              Envelope(
                sender: ghost.id, epoch: 1, delivery: .beacon, sequence: 1, payload: beacon),
              for: evening.everyone, under: .invite), to: evening.everyone)
        }
      }
      #expect(seen.events.isEmpty)
      #expect(await evening.view == before)
    }
  }

  @Test("Messages that are truncated, changed, or too long are rejected")
  func damaged() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let sample = try #require(evening.broker.traffic.last { $0.subject == evening.everyone })
      let seen = try await evening.during {
        for length in stride(from: 0, to: sample.payload.count, by: 7) {
          try evening.inject(Array(sample.payload.prefix(length)), to: evening.everyone)
        }
        for place in stride(from: 0, to: sample.payload.count, by: 5) {
          var changed = sample.payload
          changed[place] ^= 0x40
          try evening.inject(changed, to: evening.everyone)
        }
        try evening.inject(
          sample.payload + [UInt8](repeating: 0, count: 60_000), to: evening.everyone)
      }
      Self.expectTold(seen, of: nil, atLeast: sample.payload.count / 7 + sample.payload.count / 5)
      #expect(await evening.view == before)
    }
  }

  @Test("Messages that a member sends out of order arrive in order, and repeated ones arrive once")
  func reordered() async throws {
    try await Evening.run { evening, mallory in
      let seen = try await evening.during {
        for sequence in [3, 2, 3, 1, 2, 5, 1, 4, 5] as [UInt64] {
          try mallory.send(
            .init(.chat(ChatText(text: "word \(sequence)"))), .event, sequence,
            to: evening.everyone)
        }
      }
      let texts = seen.events.compactMap { if case .chat(_, let text) = $0 { text } else { nil } }
      #expect(texts == (1...5).map { "word \($0)" })
      #expect(seen.rejections.stale >= 4)
    }
  }

  @Test("Messages under an epoch for which no participant answered a challenge are rejected")
  func wrongEpoch() async throws {
    try await Evening.run { evening, mallory in
      let before = await evening.view
      let sealer = EnvelopeSealer(
        party: evening.ana.localID, identity: mallory.identity, keys: evening.founding.keys)
      let seen = try await evening.during {
        // It answers no challenge for any of these.
        for epoch in 1...200 as ClosedRange<UInt64> {
          try evening.inject(
            sealer.seal(
              Envelope(
                sender: mallory.identity.id, epoch: epoch, delivery: .event, sequence: 1,
                payload: WireMessage.chat(ChatText(text: "epoch \(epoch)")).encoded()),
              for: evening.everyone, under: .invite), to: evening.everyone)
        }
      }
      #expect(
        !seen.events.contains { if case .chat = $0 { true } else { false } },
        "somebody who answered under another epoch was heard")
      #expect(await evening.view.film == before.film)
    }
  }

  @Test("A guest's messages about matters that only hosts decide have no effect")
  func wrongRole() async throws {
    try await Evening.run { evening in
      try await evening.ana.amend(.control(.hosts))
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
      let before = await evening.view
      let seen = try await evening.during {
        var register = SessionTests.register(.max, by: mallory.identity.id)
        let authorship = Authorship.of(mallory.identity, party: evening.ana.localID)
        register.proof = authorship.sign(register.provenBytes)
        try mallory.say(.session(register))
        register.initiator = evening.ana.localID
        register.proof = authorship.sign(register.provenBytes)
        try mallory.say(.session(register))
        try mallory.send(.init(.state(register)), .direct, 0, to: evening.anasSubject)
        register.stamp = Stamp(time: .max, participant: evening.ana.localID)
        try mallory.say(.session(register))
      }
      Self.expectTold(seen, of: mallory.identity.id)
      #expect(await evening.view == before)
      #expect(await evening.ana.rules.control == .hosts)
    }
  }

  @Test("A member that lies about the time moves only its own clock")
  func lyingClock() async throws {
    try await Evening.run { evening, mallory in
      let before = await evening.view
      let bens = try #require(evening.ben.clock.reading)
      _ = try await evening.during {
        for lie in [Int64.min, -3_600_000_000_000, 0, 3_600_000_000_000, .max] {
          for nonce in 0..<50 as Range<UInt64> {
            let reply = ProbeReply(
              nonce: nonce,
              times: .init(
                received: GroupTime(nanoseconds: lie), sent: GroupTime(nanoseconds: lie),
                uncertainty: 0), baseline: 0)
            for subject in [evening.everyone, evening.anasSubject] {
              try mallory.send(.init(.probeReply(reply)), .direct, 0, to: subject)
            }
          }
          try mallory.say(.beacon(.of("Mallory", joinedAt: lie)))
        }
      }
      let now = try #require(evening.ben.clock.reading)
      #expect(evening.ana.clock.reading?.isReference == true)
      #expect(evening.ana.clock.reading?.offset == .zero)
      // The lies are an hour and more; a slow machine widens the uncertainty.
      #expect(
        (now.offset - bens.offset).magnitude
          < .milliseconds(20) + now.uncertainty + bens.uncertainty)
      #expect(await evening.view.film == before.film)
      #expect(await evening.ana.participants.first { $0.isHost }?.id == evening.ana.localID)
    }
  }

  @Test("In a flood of all attacks at once, Ben is heard and the film changes for all")
  func flood() async throws {
    try await Evening.run { evening, mallory in
      let long = String(repeating: "x\u{301}\u{1B}[2J", count: 400)
      for round in 0..<5 {
        var seen = try await evening.during {
          for number in 0..<60 as Range<UInt64> {
            try mallory.say(.chat(ChatText(text: long)))
            try mallory.say(.beacon(HostileGuest.beacon("Mallory \(number)")))
            try mallory.send(
              .init(.probe(Probe(nonce: number, introduction: true))), .direct, 0,
              to: evening.anasSubject)
            try mallory.send(
              .init(.resendRequest(ResendRequest(from: 1, through: .max))), .direct, 0,
              to: evening.anasSubject)
            try evening.inject([UInt8](repeating: 1, count: 60_000), to: evening.everyone)
          }
        }
        // Ana's own change in the round before.
        seen.events.removeAll { $0 == .activityChanged("film", by: evening.ana.localID) }
        // Most messages exceed the rate, and some are repeated: an excess is reported once a
        // minute.
        Self.expectTold(seen, of: mallory.identity.id, atLeast: 60, isNamed: false)
        try await evening.session.setActivity(Film(title: "Film \(round)"))
      }
      let bens = await Film.sessions(in: evening.ben)
      for await session in bens {
        for await film in session.activities where film.title == "Film 4" { return }
      }
    }
  }
}
