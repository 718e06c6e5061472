import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Real messages, mutated")
struct WireFuzzTests {
  @Test(
    "Whatever messages one member sends, no other member is moved, renamed or silenced",
    arguments: UInt64(0)..<12
  )
  func mutated(seed: UInt64) throws {
    var gathering = Gathering.gathered("Ana", "Ben", "Mallory", evening: seed)
    gathering.activate("film", by: 0)
    gathering.chat("hello", by: 1)
    gathering.chat("hi", by: 2)
    gathering.run(for: .seconds(3))
    let ana = gathering.members[0].machine
    let clock = try #require(ana.clockReading(at: gathering.host(0)))

    var dice = RandomSource.seeded(seed)
    let real = gathering.said.map { ($0.message.encoded(), $0.message.delivery) }
    var readable = 0
    for batch in 0..<10 {
      for _ in 0..<300 {
        let (original, delivery) = real.randomElement(using: &dice)!
        let bytes = Self.mutate(original, using: &dice)
        gathering.run(for: .milliseconds(10))
        guard let message = try? WireMessage(decoding: bytes, as: delivery) else { continue }
        // After a departure nothing of hers would be tested.
        if case .event(.leave) = message { continue }
        readable += 1
        gathering.hand(
          Self.packet(message, in: gathering, isLast: batch == 9, using: &dice), to: 0)
      }
      if batch < 9 {
        #expect(Self.isHeard("still \(batch)", in: &gathering), "seed \(seed), batch \(batch)")
      }
    }
    #expect(readable > 300, "seed \(seed)")

    let machine = gathering.members[0].machine
    #expect(machine.name == "Ana" && machine.joinedAt == ana.joinedAt, "seed \(seed)")
    let now = try #require(machine.clockReading(at: gathering.host(0)))
    #expect(now.offset == clock.offset && now.isReference && now.drift == 0, "seed \(seed)")
    let ben = machine.others.first { $0.id == Gathering.id(1) }
    #expect(ben == Participant(id: Gathering.id(1), name: "Ben"), "seed \(seed)")
    #expect(machine.others.allSatisfy { !$0.isHost }, "seed \(seed)")
    #expect(machine.roster.count <= 2 && machine.asked.probes.pending.count < 64, "seed \(seed)")
    for text in gathering.chats(0) + machine.others.map(\.name) {
      #expect(PartyText.clean(text, limit: PartyText.chatLimit) == text, "seed \(seed)")
    }
    gathering.chat("still here", by: 1)
    gathering.activate("another", by: 0)
    gathering.run(for: .seconds(3))
    #expect(gathering.chats(0).last == "still here", "seed \(seed)")
    #expect(
      gathering.members[1].machine.session?.activity == Data("another".utf8), "seed \(seed)")
  }

  /// Returns a message of Mallory to Ana, under a number that she may use.
  ///
  /// - Parameter isLast: whether the number may also be one after which none of hers counts any more.
  private static func packet(
    _ message: WireMessage, in gathering: Gathering, isLast: Bool,
    using dice: inout RandomSource
  ) -> Gathering.Packet {
    let next = next(message, in: gathering)
    let usual = [0, 1, next, next, min(next, .max - 1) + 1]
    let numbers = isLast ? usual + [.max, .random(in: 0 ... .max, using: &dice)] : usual
    return Gathering.Packet(
      due: .zero, from: Gathering.id(2), epoch: 3000, to: Gathering.id(0),
      sequence: numbers.randomElement(using: &dice)!, message: message)
  }

  /// Returns the number of Mallory's next message of this kind, as Ana counts them.
  private static func next(_ message: WireMessage, in gathering: Gathering) -> UInt64 {
    let mallory = gathering.members[0].machine.roster[Gathering.id(2)]
    // A changed introduction may have named the greatest number.
    return message.delivery == .beacon
      ? min(mallory?.beaconSource.sequence ?? 0, .max - 1) + 1
      : mallory?.streams.inbound?.next ?? 1
  }

  /// Lets Mallory pause until her allowance is full, show that she is there, and say something; returns whether Ana hears
  /// it. Otherwise nothing that she sends is tested.
  private static func isHeard(_ text: String, in gathering: inout Gathering) -> Bool {
    gathering.run(for: .seconds(4))
    let beacon = gathering.members[2].machine.beacon(at: gathering.host(2))
    for message in [WireMessage.beacon(beacon), .chat(ChatText(text: text))] {
      gathering.hand(
        Gathering.Packet(
          due: .zero, from: Gathering.id(2), epoch: 3000, to: Gathering.id(0),
          sequence: next(message, in: gathering), message: message), to: 0)
      gathering.run(for: .seconds(1))
    }
    return gathering.chats(0).contains(text)
  }

  /// Returns the bytes with one or two changes of the kinds that find mistakes in parsers.
  static func mutate(_ bytes: [UInt8], using dice: inout RandomSource) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...2, using: &dice) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &dice)
      let end = Int.random(in: place...min(bytes.count, place + 40), using: &dice)
      switch Int.random(in: 0..<9, using: &dice) {
      case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &dice)
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 3...5: replaceWord(in: &bytes, at: place, using: &dice)
      default: replaceNumber(in: &bytes, at: place, using: &dice)
      }
    }
    return bytes
  }

  private static let numbers: [UInt64] = [0, 1, 2, 127, 128, 1 << 32, .max >> 1, 1 << 63, .max]

  private static func replaceWord(
    in bytes: inout [UInt8], at place: Int, using dice: inout RandomSource
  ) {
    guard place + 8 <= bytes.count else { return }
    bytes.replaceSubrange(
      place..<place + 8, with: numbers.randomElement(using: &dice)!.bigEndianBytes)
  }

  /// Replaces what may be a number of variable length.
  private static func replaceNumber(
    in bytes: inout [UInt8], at place: Int, using dice: inout RandomSource
  ) {
    var writer = BinaryWriter()
    writer.number(numbers.randomElement(using: &dice)!)
    let end = bytes[place...].firstIndex { $0 < 0x80 } ?? bytes.endIndex - 1
    bytes.replaceSubrange(place...end, with: writer.bytes)
  }
}
