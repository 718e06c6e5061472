import EventQueue
import Testing

@Suite("The event queue")
struct EventQueueTests {
  private func drain(_ queue: EventQueue<String>) async -> [String] {
    queue.finish()
    var elements: [String] = []
    for await element in queue.makeStream() { elements.append(element) }
    return elements
  }

  @Test("It drops elements over its limit, but never an essential one")
  func bound() async {
    let queue = EventQueue<String>(costLimit: 10)
    #expect(queue.push("a", cost: 6))
    #expect(!queue.push("b", cost: 5))
    #expect(queue.push("c", cost: 4))
    queue.pushEssential("end")
    #expect(!queue.push("d", cost: 1))
    #expect(await drain(queue) == ["a", "c", "end"])
  }

  @Test("It has room again as it is read")
  func room() async {
    let queue = EventQueue<String>(costLimit: 1)
    var iterator = queue.makeStream().makeAsyncIterator()
    for number in 0..<100 {
      #expect(queue.push("\(number)", cost: 1))
      #expect(await iterator.next() == "\(number)")
    }
  }

  @Test("It starts over when even the essential elements exceed the limit")
  func essentialBound() async {
    let queue = EventQueue<String>(costLimit: 10, essentialLimit: 3)
    queue.push("message", cost: 1)
    for number in 0..<4 { queue.pushEssential("\(number)") }
    #expect(await drain(queue) == ["3"])
  }

  @Test("It hands an element to a consumer that waits already, and ends for it")
  func waiting() async {
    let queue = EventQueue<Int>(costLimit: 10)
    let consumer = Task {
      var sum = 0
      for await element in queue.makeStream() { sum += element }
      return sum
    }
    for number in 1...100 {
      while !queue.push(number, cost: 1) { await Task.yield() }
    }
    queue.finish()
    #expect(await consumer.value == 5050)
    #expect(!queue.push(1, cost: 1))
  }

  @Test("A cancelled consumer ends it")
  func cancellation() async {
    let queue = EventQueue<Int>(costLimit: 10)
    let consumer = Task { for await _ in queue.makeStream() {} }
    consumer.cancel()
    await consumer.value
    #expect(!queue.push(1, cost: 1))
  }
}
