import Concurrency
import Testing

@Suite("A bounded inbox")
struct BoundedInboxTests {
  private func drain(_ queue: BoundedInbox<String>) async -> [String] {
    queue.finish()
    var elements: [String] = []
    for await element in queue.makeStream() { elements.append(element) }
    return elements
  }

  @Test("It drops elements over its limit, but never an essential one")
  func bound() async {
    let queue = BoundedInbox<String>(costLimit: 10)
    #expect(queue.put("a", cost: 6))
    #expect(!queue.put("b", cost: 5))
    #expect(queue.put("c", cost: 4))
    queue.putEssential("end")
    #expect(!queue.put("d", cost: 1))
    #expect(await drain(queue) == ["a", "c", "end"])
  }

  @Test("It has room again as it is read")
  func room() async {
    let queue = BoundedInbox<String>(costLimit: 1)
    var iterator = queue.makeStream().makeAsyncIterator()
    for number in 0..<100 {
      #expect(queue.put("\(number)", cost: 1))
      #expect(await iterator.next() == "\(number)")
    }
  }

  @Test("It starts over when even the essential elements exceed the limit")
  func essentialBound() async {
    let queue = BoundedInbox<String>(costLimit: 10, essentialLimit: 3)
    queue.put("message", cost: 1)
    for number in 0..<4 { queue.putEssential("\(number)") }
    #expect(await drain(queue) == ["3"])
  }

  @Test("It hands an element to a consumer that waits already, and ends for it")
  func waiting() async {
    let queue = BoundedInbox<Int>(costLimit: 10)
    let consumer = Task {
      var sum = 0
      for await element in queue.makeStream() { sum += element }
      return sum
    }
    for number in 1...100 {
      while !queue.put(number, cost: 1) { await Task.yield() }
    }
    queue.finish()
    #expect(await consumer.value == 5050)
    #expect(!queue.put(1, cost: 1))
  }

  @Test("A cancelled consumer ends it")
  func cancellation() async {
    let queue = BoundedInbox<Int>(costLimit: 10)
    let consumer = Task { for await _ in queue.makeStream() {} }
    consumer.cancel()
    await consumer.value
    #expect(!queue.put(1, cost: 1))
  }

  @Test("A producer that waits for room gets it when an element is taken, in order")
  func backpressure() async {
    let queue = BoundedInbox<Int>(costLimit: 2)
    let producer = Task {
      for number in 1...50 where await !queue.send(number) { return number }
      queue.finish()
      return 0
    }
    let all = await queue.makeStream().reduce(into: []) { $0.append($1) }
    #expect(all == Array(1...50))
    #expect(await producer.value == 0)
  }

  @Test("An element that is larger than the limit is sent alone")
  func large() async {
    let queue = BoundedInbox<Int>(costLimit: 1)
    #expect(await queue.send(7, cost: 100))
    #expect(!queue.put(8))
    var elements = queue.makeStream().makeAsyncIterator()
    #expect(await elements.next() == 7)
  }

  @Test("The end refuses a producer that waits for room")
  func endForProducers() async {
    let queue = BoundedInbox<Int>(costLimit: 1)
    #expect(queue.put(1))
    async let isSent = queue.send(2)
    queue.finish()
    #expect(await !isSent)
  }

  @Test("A cancelled producer gives up its place")
  func cancelledProducer() async {
    let queue = BoundedInbox<Int>(costLimit: 1)
    #expect(queue.put(1))
    let producer = Task { await queue.send(2) }
    producer.cancel()
    #expect(await !producer.value)
    queue.finish()
    let all = await queue.makeStream().reduce(into: []) { $0.append($1) }
    #expect(all == [1])
  }

  @Test("A thread that waits for room gets it too")
  func thread() async {
    let queue = BoundedInbox<Int>(costLimit: 1)
    OwnedThread.start("producer") {
      for number in 1...20 where !queue.sendBlocking(number) { return }
      queue.finish()
    }
    let all = await queue.makeStream().reduce(into: []) { $0.append($1) }
    #expect(all == Array(1...20))
  }
}
