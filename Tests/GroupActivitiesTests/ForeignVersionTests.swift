import Crypto
import Foundation
import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Programs that speak another version of the protocol", .timeLimit(.minutes(2)))
struct ForeignVersionTests {
  /// A message of another version, which a participant sealed.
  private static func sealed(
    _ version: UInt8, _ founding: Party.Founding, to subject: String
  ) throws -> [UInt8] {
    let header = [version] + ContentKeyID.invite.binary
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
        texts == [
          "Somebody in this party uses another version of the program, "
            + "so update both to the same one."
        ])
      #expect(seen.rejections.garbage == 200)
      #expect(await evening.view == before)
    }
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
