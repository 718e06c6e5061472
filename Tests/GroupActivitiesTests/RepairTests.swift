import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation

/// All participants end with every event, exactly once and in order, whatever was lost, and without
/// a storm of requests.
@Suite("Repair")
struct RepairTests {
  /// Disconnects all participants from the broker, and connects them again.
  private func outage(_ gathering: inout Gathering, for duration: Duration, noticedAfter: Duration)
  {
    gathering.isLost = { _ in true }
    gathering.run(for: noticedAfter)
    for index in gathering.members.indices {
      gathering.act(index) { machine, _ in machine.disconnected() }
    }
    gathering.run(for: duration)
    gathering.isLost = { _ in false }
    for index in gathering.members.indices { gathering.act(index) { $0.connected(at: $1) } }
  }

  @Test(
    "Messages sent before, during and after an outage reach all participants, once and in order",
    arguments: UInt64(0)..<5)
  func outage(evening: UInt64) {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dov", "Eva", evening: evening)
    var expected = [[String]](repeating: [], count: 5)
    var number = 0
    func everybodySpeaks(_ gathering: inout Gathering) {
      for index in 0..<5 {
        number += 1
        gathering.chat("\(number)", by: index)
        for other in 0..<5 where other != index { expected[other].append("\(number)") }
      }
    }
    for _ in 0..<20 {
      everybodySpeaks(&gathering)
      gathering.run(for: .milliseconds(200))
      gathering.isLost = { _ in true }
      everybodySpeaks(&gathering)
      outage(&gathering, for: .seconds(2), noticedAfter: .milliseconds(700))
      everybodySpeaks(&gathering)
      gathering.run(for: .milliseconds(700))
    }
    gathering.run(for: .seconds(2))
    for index in 0..<5 {
      let heard = gathering.chats(index)
      #expect(heard.sorted() == expected[index].sorted(), "evening \(evening)")
      for sender in 0..<5 where sender != index {
        let lane = heard.compactMap { Int($0) }.filter { ($0 - 1) % 5 == sender }
        #expect(lane == lane.sorted())
      }
      #expect(gathering.departures(index).isEmpty)
    }
  }

  @Test("A participant that alone was cut off gets all missed events from one other, in one answer")
  func oneAnswer() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dov", "Eva")
    gathering.isLost = { $0.to == Gathering.id(4) || $0.from == Gathering.id(4) }
    gathering.act(4) { machine, _ in machine.disconnected() }
    for number in 1...30 { gathering.chat("\(number)", by: number % 4) }
    gathering.run(for: .seconds(1))
    gathering.isLost = { _ in false }
    let before = gathering.said.count
    gathering.act(4) { $0.connected(at: $1) }
    gathering.run(for: .milliseconds(11))
    #expect(gathering.chats(4).count == 30, "one way there, one way back")
    let vectors = gathering.said[before...].filter {
      if case .direct(.vector) = $0.message { true } else { false }
    }
    #expect(vectors.count == 1)
    gathering.run(for: .seconds(3))
    #expect(gathering.chats(4).count == 30)
    let requests = gathering.said[before...].filter {
      if case .direct(.resendRequest) = $0.message { true } else { false }
    }
    #expect(requests.isEmpty, "nothing had to be asked for twice")
  }

  @Test(
    "The last messages of a killed participant reach those who missed them, from a participant that has them"
  )
  func lastWords() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dov")
    gathering.chat("one", by: 1)
    gathering.run(for: .milliseconds(100))
    gathering.isLost = { $0.isEvent && $0.to != Gathering.id(2) }
    gathering.chat("two", by: 1)
    gathering.chat("three", by: 1)
    gathering.run(for: .milliseconds(20))
    gathering.vanish(1)
    gathering.isLost = { _ in false }
    #expect(gathering.chats(0) == ["one"] && gathering.chats(2) == ["one", "two", "three"])
    let before = gathering.said.count
    gathering.run(for: .seconds(8))
    for index in [0, 2, 3] {
      #expect(gathering.chats(index) == ["one", "two", "three"], "\(index)")
      #expect(gathering.departures(index).map(\.name) == ["Ben"])
    }
    let answers = gathering.said[before...].filter {
      if case .direct(.originals) = $0.message { $0.to == Gathering.id(0) } else { false }
    }
    #expect(answers.count == 1, "one passes it on to all")
  }

  @Test("Messages that a dishonest member forges as another's are refused")
  func forgedOriginals() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let next = gathering.members[2].machine.log.lastSequence + 1
    let invented = Gathering.Packet(
      due: .zero, from: Gathering.id(2), epoch: 1, to: Gathering.id(0),
      sequence: next, message: .chat(ChatText(text: "I never said that")))
    // One of another evening, and one that is not addressed to all.
    gathering.act(0) { machine, host in machine.passedOn(invented.inbound(at: host), at: host) }
    var direct = invented
    direct.epoch = 3000
    direct.message = .leaveReply
    gathering.act(0) { machine, host in machine.passedOn(direct.inbound(at: host), at: host) }
    gathering.run(for: .seconds(1))
    #expect(gathering.chats(0).isEmpty)
  }

  @Test("A late joiner asks one participant for the session, and one answers")
  func oneSnapshot() {
    var gathering = Gathering("Ana", "Ben", "Chi", "Dov", "Eva", "Fay")
    gathering.arrive(0..<5, every: .seconds(1))
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let before = gathering.said.count
    gathering.arrive(5)
    gathering.run(for: .seconds(3))
    #expect(gathering.members[5].machine.session?.activity == Data("film".utf8))
    func count(_ isMeant: (WireMessage) -> Bool) -> Int {
      gathering.said[before...].count { isMeant($0.message) }
    }
    #expect(count { if case .direct(.welcome) = $0 { true } else { false } } == 1)
    #expect(count { if case .direct(.state) = $0 { true } else { false } } <= 1)
  }

  // MARK: - Many

  @Test(
    "A hundred participants that lost the same event ask for it a few times, and one answer serves them all"
  )
  func storm() {
    var crowd = CrowdedPartyTests.crowd(100, settlingFor: .seconds(20))
    crowd.isLost = { message, _, to in
      if case .event(.chat(ChatText(text: "lost"))) = message { to % 10 != 0 } else { false }
    }
    crowd.chat("lost", by: 50)
    crowd.run(for: .milliseconds(100))
    crowd.isLost = { _, _, _ in false }
    crowd.chat("then", by: 50)
    crowd.run(for: .seconds(4))
    for (index, member) in crowd.members.enumerated() where index != 50 {
      #expect(member.chats == ["lost", "then"], "\(index)")
    }
    #expect(crowd.counts["resendRequest", default: 0] <= 15, "\(crowd.counts)")
    #expect(crowd.counts["chat", default: 0] <= 8, "\(crowd.counts)")
  }

  @Test(
    "A newcomer to a party of a hundred gets one welcome, and all participants hear it from then on"
  )
  func lateInACrowd() {
    var crowd = CrowdedPartyTests.crowd(101, settlingFor: .zero)
    let welcomes = crowd.counts["welcome", default: 0]
    #expect(welcomes == 0, "counted since the last one came: \(crowd.counts)")
    crowd.run(for: .seconds(30))
    crowd.chat("hello", by: 100)
    crowd.chat("there", by: 100)
    crowd.run(for: .seconds(3))
    for index in 0..<100 { #expect(crowd.members[index].chats == ["hello", "there"], "\(index)") }
  }
}
