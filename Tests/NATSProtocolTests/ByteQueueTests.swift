import Testing

import enum GroupActivities.RandomSource

@testable import NATSProtocol

@Suite("The byte queue")
struct ByteQueueTests {
  private func bytes(_ queue: ByteQueue) -> [UInt8] { queue.withUnsafeBytes { Array($0) } }

  @Test("It is the same as an array, whatever is done to it", arguments: UInt64(0)..<20)
  func model(seed: UInt64) {
    var random = RandomSource.seeded(seed)
    var queue = ByteQueue()
    var model: [UInt8] = []
    for step in 0..<500 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let more = (0..<Int.random(in: 0..<40, using: &random)).map { UInt8($0 & 7) }
        queue.append(more)
        model += more
      case 2, 3:
        let count = Int.random(in: 0...min(model.count, 50), using: &random)
        let popped = Array(queue.popFirst(count))
        #expect(popped == Array(model.prefix(count)), "seed \(seed), step \(step)")
        model.removeFirst(count)
      case 4:
        queue.compact()
        #expect(queue.capacity <= 2 * model.count + 512, "seed \(seed), step \(step)")
      default:
        let offset = Int.random(in: 0...model.count, using: &random)
        let found = model[offset...].firstIndex(of: 3)
        #expect(queue.offset(of: 3, from: offset) == found, "seed \(seed), step \(step)")
        let byte = offset < model.count ? model[offset] : nil
        #expect(queue.byte(at: offset) == byte, "seed \(seed), step \(step)")
      }
      #expect(bytes(queue) == model && queue.count == model.count, "seed \(seed), step \(step)")
    }
  }

  @Test("What was removed from it stays as it was when more is appended")
  func slices() {
    var queue = ByteQueue(Array("one two ".utf8))
    let one = queue.popFirst(4)
    let two = queue.popFirst(3)
    queue.append(Array("three".utf8))
    #expect(Array(one) == Array("one ".utf8) && Array(two) == Array("two".utf8))
    #expect(bytes(queue) == Array(" three".utf8))
  }

  @Test("Its memory doesn't grow while a few bytes always wait")
  func memory() {
    var queue = ByteQueue([0])
    for _ in 0..<10_000 {
      queue.append([UInt8](repeating: 1, count: 100))
      queue.removeFirst(100)
      #expect(queue.capacity <= 1024)
    }
    #expect(queue.count == 1)
  }
}
