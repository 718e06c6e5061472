import Crypto
import Foundation
import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Programs that speak another version of the protocol", .timeLimit(.minutes(2)))
struct ForeignVersionTests {
  @Test("Each of a few versions is reported once")
  func bound() {
    var versions = ForeignVersions()
    let texts = (UInt8.min ... .max).flatMap { version in
      [versions.note(version), versions.note(version)].compactMap { $0 }
    }
    #expect(texts.count == 4)
    #expect(versions.heard == [0, 1, 2, 3])
  }

  /// A message of another version, which a participant sealed.
  private static func sealed(
    _ version: UInt8, _ founding: Party.Founding, to subject: String
  ) throws -> [UInt8] {
    // Version 1 didn't name the key.
    let header = version > 1 ? [version] + ContentKeyID.invite.binary : [version]
    let box = try ChaChaPoly.seal(
      [4, 5, 6], using: founding.keys.content, authenticating: header + Array(subject.utf8))
    return header + Array(box.combined)
  }

  @Test("What nobody sealed is no program of another version")
  func pretended() async throws {
    try await Evening.run { evening in
      let seen = try await evening.during {
        for version in [0, 1, 3, .max] as [UInt8] {
          let message = try Self.sealed(version, evening.founding, to: evening.everyone)
          try evening.inject([version ^ 1] + message.dropFirst(), to: evening.everyone)
        }
      }
      #expect(seen.events == [])
      #expect(seen.rejections.unsealable == 4)
      // Under a key that nobody has: one of this version may still come to be readable, others can't.
      let unknown = try await evening.during {
        for version in UInt8(2)...9 {
          try evening.inject(
            [version] + [UInt8](repeating: version, count: 90), to: evening.everyone)
        }
      }
      #expect(unknown.events == [])
      #expect(unknown.rejections.unsealable == 8)
      #expect(unknown.rejections.garbage == 0)
    }
  }

  @Test("A program of another version is reported once, in words, and changes nothing")
  func reported() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let seen = try await evening.during {
        for version in [1, 3] as [UInt8] {
          for _ in 0..<100 {
            let message = try Self.sealed(version, evening.founding, to: evening.everyone)
            try evening.inject(message, to: evening.everyone)
          }
        }
      }
      let texts = seen.events.compactMap { if case .warning(let text) = $0 { text } else { nil } }
      #expect(
        texts
          == [1, 3].map {
            "Somebody in this party uses a version of the program that speaks another protocol (\($0)); "
              + "this one speaks 2. Update both to the same version."
          })
      // The other participant's answer in version 1 may be among them.
      #expect((200...201).contains(seen.rejections.garbage))
      #expect(await evening.view == before)
    }
  }

  @Test("A program of version 1 gets one message that it reports to its user, too")
  func answered() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let subject = founding.keys.subjects.everyone
    let old = broker.transport()
    try await old.connect()
    try await old.subscribe(to: subject)
    let address = try #require(Invite.Address("127.0.0.1:1"))
    let ana = try await Party.create(
      founding, addresses: [address], name: "Ana", transport: broker.transport())
    for _ in 0..<3 { try old.publish(Self.sealed(1, founding, to: subject), to: subject) }
    var notices: [[UInt8]] = []
    for await event in old.events {
      guard case .received(let message) = event else { continue }
      if message.payload.first == 1 {
        notices.append(message.payload)
        try await ana.sendChat("done")
      } else if message.payload.first == 2, !notices.isEmpty {
        break
      }
    }
    // As version 1 opened messages.
    let sealed = try #require(notices.first)
    let box = try ChaChaPoly.SealedBox(combined: sealed.dropFirst())
    let plain = Array(
      try ChaChaPoly.open(
        box, using: founding.keys.content, authenticating: [1] + Array(subject.utf8)))
    let key = try Curve25519.Signing.PublicKey(rawRepresentation: plain[..<32])
    let signed =
      Array("matinee envelope v1".utf8) + founding.party.bytes
      + UInt64(subject.utf8.count).bigEndianBytes + Array(subject.utf8) + plain[96...]
    #expect(key.isValidSignature(plain[32..<96], for: signed))
    #expect(plain[104] == 3, "a direct message, without a number")
    #expect(String(decoding: plain[113...], as: UTF8.self) == #"{"t":"protocol","v":2}"#)
    await old.close()
    await ana.leave()
  }

  @Test("A newcomer to a party of another version learns why nobody answers")
  func refused() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let address = try #require(Invite.Address("127.0.0.1:1"))
    let invite = founding.invite(addresses: [address])
    let old = broker.transport()
    try await old.connect()
    try await old.subscribe(to: founding.keys.subjects.anyone, group: PartySubjects.members)
    let beacons = Task {
      for await event in old.events {
        guard case .received = event else { continue }
        let subject = founding.keys.subjects.everyone
        try old.publish(Self.sealed(1, founding, to: subject), to: subject)
      }
    }
    await #expect(throws: PartyError.otherProtocol(1)) {
      try await Party.join(
        invite, name: "Ben", transport: broker.transport(), deadline: .milliseconds(500))
    }
    await old.close()
    try await beacons.value
  }
}
