import ProcessTesting
import Testing

@testable import Concurrency

/// A test's event: a letter is an event of its own, and a number replaces the earlier number.
private enum Sign: Hashable, BroadcastEvent {
  enum Kind: Hashable { case letter, number, missed }

  case letter(Character)
  case number(Int)
  case missed(Int)

  var kind: Kind {
    switch self {
    case .letter: .letter
    case .number: .number
    case .missed: .missed
    }
  }

  var replacesEarlier: Bool { kind == .number }
}

@Suite("Events that many follow") struct EventBroadcastTests {
  private func all(_ events: AsyncStream<Sign>) async -> [Sign] {
    await events.reduce(into: []) { $0.append($1) }
  }

  @Test("Each follower gets the events since it began to follow, in their order, and the end")
  func everyone() async {
    let broadcast = EventBroadcast<Sign>()
    broadcast.send(.letter("a"))
    let first = broadcast.follow(atMost: 8)
    broadcast.send(.letter("b"))
    let second = broadcast.follow(atMost: 8)
    broadcast.send(.letter("c"))
    broadcast.finish()
    #expect(await all(first) == [.letter("b"), .letter("c")])
    #expect(await all(second) == [.letter("c")])
    #expect(await all(broadcast.follow(atMost: 8)) == [])
  }

  @Test("A slow follower loses the oldest events, reads how many, and delays no other")
  func slow() async {
    let broadcast = EventBroadcast<Sign>()
    let slow = broadcast.follow(atMost: 2)
    let other = broadcast.follow(atMost: 8)
    for letter in "abcde" { broadcast.send(.letter(letter)) }
    broadcast.finish()
    #expect(await all(slow) == [.missed(3), .letter("d"), .letter("e")])
    #expect(await all(other) == "abcde".map { .letter($0) })
  }

  @Test("An event that replaces earlier ones waits once, after the others, and is never dropped")
  func replacing() async {
    let broadcast = EventBroadcast<Sign>()
    let follower = broadcast.follow(atMost: 2)
    broadcast.send(.number(1))
    broadcast.send(.letter("a"))
    broadcast.send(.number(2))
    for letter in "bcd" { broadcast.send(.letter(letter)) }
    broadcast.finish()
    #expect(await all(follower) == [.missed(2), .number(2), .letter("c"), .letter("d")])
  }

  @Test("A follower doesn't get the kinds of events that it ignores")
  func ignored() async {
    let broadcast = EventBroadcast<Sign>()
    #expect(!broadcast.isFollowed(for: .number))
    let follower = broadcast.follow(atMost: 2, except: [.number])
    #expect(!broadcast.isFollowed(for: .number) && broadcast.isFollowed(for: .letter))
    broadcast.send(.number(1))
    broadcast.send(.letter("a"))
    broadcast.finish()
    #expect(await all(follower) == [.letter("a")])
  }

  @Test("A cancelled follower no longer follows")
  func cancelled() async {
    let broadcast = EventBroadcast<Sign>()
    let events = broadcast.follow(atMost: 2)
    let task = Task { await all(events) }
    task.cancel()
    #expect(await task.value == [])
    #expect(!broadcast.isFollowed(for: .letter))
  }

  @Test("Cancelling a follower while an event is sent blocks neither")
  func race() async {
    let broadcast = EventBroadcast<Sign>()
    let isOver = await CancellationRace.ends {
      broadcast.follow(atMost: 8)
    } send: {
      broadcast.send(.letter("a"))
    }
    #expect(isOver)
  }
}
