import GroupActivities

/// Random numbers that follow from a seed, with a sequence of their own for each purpose.
///
/// `Dice` of the groups' simulation has other sequences, and the scenario of a test that keeps a found seed would be
/// another one with it.
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
