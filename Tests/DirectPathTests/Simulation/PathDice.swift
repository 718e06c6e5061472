import GroupActivities

/// True time in nanoseconds since the simulation began, or a duration.
typealias Nanoseconds = Int64

extension Nanoseconds {
  static func milliseconds(_ count: Int64) -> Nanoseconds { count * 1_000_000 }
  static func seconds(_ count: Int64) -> Nanoseconds { count * 1_000_000_000 }
}

/// Random numbers that follow from a seed, with a sequence of their own for each purpose.
struct PathDice: RandomNumberGenerator {
  private var source: RandomSource

  init(seed: UInt64, _ purposes: UInt64...) {
    var state = seed
    for purpose in purposes {
      var mixed = RandomSource.seeded(state ^ (purpose << 32 | purpose))
      state = mixed.next()
    }
    source = .seeded(state)
  }

  mutating func next() -> UInt64 { source.next() }

  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
    Int64.random(in: range, using: &self)
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(number(0...Int64(elements.count - 1)))]
  }
}
