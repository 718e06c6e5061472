import Concurrency
import ProcessTesting
import Testing

@Suite("A value that many follow") struct BroadcastTests {
  @Test("A follower gets the current value first, and then the newer ones")
  func follow() async {
    let broadcast = Broadcast(1)
    var values = broadcast.values().makeAsyncIterator()
    #expect(await values.next() == 1)
    broadcast.send(2)
    #expect(await values.next() == 2)
    #expect(broadcast.value == 2)
  }

  @Test("One value waits for a slow follower: the newest")
  func newest() async {
    let broadcast = Broadcast<Int>()
    var values = broadcast.values().makeAsyncIterator()
    for number in 1...100 { broadcast.send(number) }
    broadcast.finish()
    #expect(await values.next() == 100)
    #expect(await values.next() == nil)
  }

  @Test("All followers get the value, and the end")
  func everyone() async {
    let broadcast = Broadcast(1)
    let followers = [broadcast.values(), broadcast.values()]
    broadcast.send(2)
    broadcast.finish()
    for follower in followers {
      let all = await follower.reduce(into: []) { $0.append($1) }
      #expect(all == [2])
    }
  }

  @Test("A follower that comes after the end gets the last value and the end")
  func late() async {
    let broadcast = Broadcast(1)
    broadcast.finish()
    let all = await broadcast.values().reduce(into: []) { $0.append($1) }
    #expect(all == [1])
  }

  @Test("Cancelling a follower while a value is sent blocks neither")
  func race() async {
    let broadcast = Broadcast(1)
    let isOver = await CancellationRace.ends {
      broadcast.values()
    } send: {
      broadcast.send(2)
    }
    #expect(isOver)
  }
}
