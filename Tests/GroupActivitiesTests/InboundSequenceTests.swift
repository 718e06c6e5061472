import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Events in order")
struct InboundSequenceTests {
  let now = HostTime(nanoseconds: 0)

  func chat(_ text: String) -> EventMessage { .chat(ChatText(text: text)) }

  @Test("Events that overtake each other are delivered in order, once")
  func order() {
    var sequence = InboundSequence(baseline: 0)
    #expect(sequence.receive(chat("2"), sequence: 2, at: now, patience: .zero) == [])
    #expect(sequence.requestAt != nil)
    #expect(
      sequence.receive(chat("1"), sequence: 1, at: now, patience: .zero) == [chat("1"), chat("2")])
    #expect(sequence.requestAt == nil)
    #expect(sequence.receive(chat("2"), sequence: 2, at: now, patience: .zero) == nil)
  }

  @Test("An event that can't be read takes its turn, and is not requested again")
  func unreadable() {
    var sequence = InboundSequence(baseline: 0)
    #expect(sequence.receive(nil, sequence: 2, at: now, patience: .zero) == [])
    #expect(sequence.receive(chat("3"), sequence: 3, at: now, patience: .zero) == [])
    #expect(
      sequence.receive(chat("1"), sequence: 1, at: now, patience: .zero) == [chat("1"), chat("3")])
    #expect(sequence.requestAt == nil)
    #expect(sequence.receive(nil, sequence: 4, at: now, patience: .zero) == [])
    #expect(sequence.receive(nil, sequence: 4, at: now, patience: .zero) == nil)
    #expect(sequence.next == 5 && sequence.requestAt == nil)
  }

  @Test("The loss of the last event is noticed from the sender's count")
  func tail() {
    var sequence = InboundSequence(baseline: 4)
    sequence.learn(newest: 6, at: now, patience: .milliseconds(20))
    #expect(sequence.requestAt == now + .milliseconds(20))
    #expect(
      sequence.request(at: now + .milliseconds(20)) == .ask(ResendRequest(from: 5, through: 6)))
  }

  @Test("A gap that no participant can fill is declared, and later events are delivered")
  func gap() {
    var sequence = InboundSequence(baseline: 0)
    _ = sequence.receive(chat("3"), sequence: 3, at: now, patience: .zero)
    var time = now
    for _ in 0..<InboundSequence.attemptLimit {
      time = sequence.requestAt!
      #expect(sequence.request(at: time) == .ask(ResendRequest(from: 1, through: 2)))
    }
    time = sequence.requestAt!
    #expect(sequence.request(at: time) == .giveUp(missing: 2, delivered: [chat("3")]))
    #expect(sequence.next == 4)
  }

  @Test("A number that the sender never reached changes nothing")
  func absurd() {
    var sequence = InboundSequence(baseline: 0)
    #expect(sequence.receive(chat("x"), sequence: .max, at: now, patience: .zero) == nil)
    sequence.learn(newest: .max, at: now, patience: .zero)
    #expect(sequence.requestAt == nil)
  }

  @Test(
    "A sender answers with the events that it keeps, and reports the events that it no longer has")
  func log() {
    var log = OutboundLog()
    for number in 1...300 { #expect(log.append(chat("\(number)")) == UInt64(number)) }
    let old = log.answer(ResendRequest(from: 1, through: 50))
    #expect(old.refused == ResendRefusal(through: 44))
    #expect(old.events.map(\.sequence) == Array(45...50))
    #expect(old.events.first?.message == chat("45"))
    #expect(log.answer(ResendRequest(from: 100, through: .max)).events.count == 64)
    #expect(log.answer(ResendRequest(from: 301, through: 302)).events.isEmpty)
    #expect(log.answer(ResendRequest(from: 9, through: 3)).events.isEmpty)
  }
}
