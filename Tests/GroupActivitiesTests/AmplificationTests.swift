import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting

/// Short questions that many participants could answer at length.
@Suite("Questions with many answers")
struct AmplificationTests {
  /// Ana has removed Dee, so that there is a key to ask for. Mallory stays.
  private func gathering() -> Gathering {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Mallory", "Dee")
    gathering.act(0) { $0.amend(.remove(Gathering.id(4)), at: $1)! }
    gathering.run(for: .seconds(2))
    return gathering
  }

  /// Lets a participant, by default Mallory, send a message to all honest ones.
  private func say(
    _ message: DirectMessage, in gathering: inout Gathering, as sender: Participant.ID? = nil,
    toAll: Bool = true
  ) {
    for index in 0..<3 {
      gathering.hand(
        Gathering.Packet(
          due: .zero, from: sender ?? Gathering.id(3), epoch: sender == nil ? 4000 : 1,
          to: Gathering.id(index), sequence: 0, message: .direct(message), isToAll: toAll),
        to: index)
    }
  }

  private func request(_ number: UInt64, epoch: KeyEpoch) -> KeyRequest {
    KeyRequest(
      publicKey: [UInt8](repeating: 7, count: 24) + number.bigEndianBytes, epoch: epoch,
      wanted: nil, answers: 1_000_000_000)
  }

  @Test("Key requests are answered four times at once and then every two seconds, to the asker")
  func keyRequests() {
    var gathering = gathering()
    let epoch = gathering.members[0].machine.policy.keys.epoch
    #expect(epoch != .invite)
    let before = gathering.said.count
    // Another exchange key each time, and now and then another epoch, which also asks for the rules.
    for number in 0..<1900 as Range<UInt64> {
      say(
        .keyRequest(request(number, epoch: number % 2 == 0 ? epoch : KeyEpoch(rawValue: number))),
        in: &gathering)
      gathering.run(for: .milliseconds(5))
    }
    let answers = gathering.said[before...].filter {
      switch $0.message {
      case .direct(.keyShares), .direct(.policyLog): true
      default: false
      }
    }
    // In nine and a half seconds: 4 + 4 answers of each of the three, some of them with the rules.
    #expect(answers.count <= 3 * 2 * 9, "\(answers.count)")
    #expect(!answers.isEmpty && answers.allSatisfy { $0.to == Gathering.id(3) })
    #expect(gathering.members[0].machine.misconduct.rejections.excess > 1000)
  }

  @Test("A crowd of invented strangers gets no more answers than newcomers do")
  func strangers() {
    let gathering = gathering()
    var machine = gathering.members[0].machine
    let epoch = machine.policy.keys.epoch
    var answers = 0
    for number in 0..<1000 as Range<UInt64> {
      let host = gathering.host(0) + .milliseconds(5) * Int(number)
      var inbound = InboundMessage(
        sender: Participant.ID(high: 9, low: number), epoch: 1, sequence: 0,
        message: .keyRequest(request(number, epoch: epoch)), receivedAt: host)
      inbound.isToAll = true
      answers += machine.received(inbound, at: host).count {
        if case .send(.direct(.keyShares), _, _) = $0 { true } else { false }
      }
    }
    // In five seconds: 40 and 10 a second.
    #expect((40...90).contains(answers), "\(answers)")
  }

  @Test(
    "Few of many participants answer a question that all receive, and one that alone receives it does"
  )
  func hopes() throws {
    var room = KeyRoom(40)
    room.change(0, isOwn: true) { $0.removed = [Participant.ID(high: 1, low: 1)] }
    let rules = room.members[0].rules
    let asker = room.members[39]
    for index in 1..<39 { room.adopt(rules, index) }
    let request = KeyRequest(publicKey: asker.machine.publicKey, epoch: KeyEpoch(of: rules))
    var answered = 0
    for _ in 0..<100 {
      for index in 0..<39 {
        let machine = room.members[index].machine
        if machine.answers(request, isToAll: true, participants: 40, random: &room.dice) {
          answered += 1
        }
        #expect(machine.answers(request, isToAll: false, participants: 40, random: &room.dice))
      }
    }
    // Eight of forty on average.
    #expect((500...1100).contains(answered), "\(answered)")
  }

  @Test("An arrival that is sent to all gets no answer, and one to any member gets one")
  func arrivals() {
    var gathering = gathering()
    let before = gathering.said.count
    say(.arrival(Arrival(nonce: 1)), in: &gathering)
    func welcomes() -> Int {
      gathering.said[before...].count {
        if case .direct(.welcome) = $0.message { true } else { false }
      }
    }
    #expect(welcomes() == 0)
    say(.arrival(Arrival(nonce: 1)), in: &gathering, toAll: false)
    #expect(welcomes() == 3)
  }

  @Test("Introductions are charged to the participant that asks for them")
  func introductions() {
    var gathering = gathering()
    let before = gathering.said.count
    for nonce in 0..<1000 as Range<UInt64> {
      say(.probe(Probe(nonce: nonce, introduction: true)), in: &gathering)
      gathering.run(for: .milliseconds(10))
    }
    let answers = gathering.said[before...].count {
      if case .direct(.probeReply(let reply)) = $0.message, $0.to == Gathering.id(3) {
        reply.introduction != nil
      } else {
        false
      }
    }
    // Ten seconds: 128 KiB and 16 KiB a second of each of the three.
    #expect(answers >= 3 * 100 && answers <= 3 * (128 + 16 * 11), "\(answers)")
  }

  @Test(
    "Messages of others that aren't authentic cost their bringer, and only the first is verified")
  func originals() async throws {
    try await Evening.run { evening, mallory in
      let forged = (0..<256).map { [UInt8](repeating: UInt8($0), count: 150) }
      let seen = try await evening.during {
        try mallory.send(
          .init(.originals(Originals(signed: forged))), .direct, 0, to: evening.anasSubject)
      }
      #expect(seen.rejections.invalid + seen.rejections.forged + seen.rejections.garbage == 1)
      SiegeTests.expectTold(seen, of: mallory.identity.id)
    }
  }
}
