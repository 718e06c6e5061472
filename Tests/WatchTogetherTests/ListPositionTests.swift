import Testing

@testable import GroupActivities
@testable import WatchTogether

@Suite("Positions in a replicated list")
struct ListPositionTests {
  @Test("There is a position between any two others", arguments: [UInt64](0..<50))
  func between(seed: UInt64) throws {
    var dice = RandomSource.seeded(seed)
    var positions: [ListPosition] = []
    for _ in 0..<200 {
      let index = Int.random(in: 0...positions.count, using: &dice)
      let lower = index > 0 ? positions[index - 1] : nil
      let upper = index < positions.count ? positions[index] : nil
      let position = ListPosition(after: lower, before: upper, using: &dice)
      if let lower { try #require(lower < position) }
      if let upper { try #require(position < upper) }
      positions.insert(position, at: index)
    }
    #expect(positions.map(\.digits.count).max()! < ListPosition.digitLimit)
  }

  @Test("A list that grows at one point keeps short positions", arguments: [true, false])
  func growing(atEnd: Bool) {
    var dice = RandomSource.seeded(1)
    var position = ListPosition(after: nil, before: nil, using: &dice)
    for _ in 0..<2000 {
      position =
        atEnd
        ? ListPosition(after: position, before: nil, using: &dice)
        : ListPosition(after: nil, before: position, using: &dice)
    }
    #expect(position.digits.count <= (atEnd ? 2 : 128))
  }

  @Test("A position has between 1 and 24 digits, and doesn't end with 0")
  func limits() {
    #expect(ListPosition(digits: []) == nil)
    #expect(ListPosition(digits: [1, 0]) == nil)
    #expect(ListPosition(digits: [UInt32](repeating: 1, count: 25)) == nil)
    #expect(ListPosition(digits: [UInt32](repeating: 1, count: 24)) != nil)
  }
}
