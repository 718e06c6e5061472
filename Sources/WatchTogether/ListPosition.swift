/// An entry's position in a replicated list: a fraction, so that there is always another one between two of them.
///
/// Concurrent insertions at one point get different positions, because the digits are random within the gap. The scheme
/// is Logoot's (Weiss, Urso, Molli: “Logoot”, 2009), without its site identifiers: entries at equal positions are ordered
/// by their own identifiers.
struct ListPosition: Hashable, Sendable {
  /// The digits after the point, to the base 2³². The last one isn't 0.
  private(set) var digits: [UInt32]

  /// The maximum number of digits. An honest list of 40 entries needs two or three.
  static let digitLimit = 24

  /// The distance of an appended entry from the last one, so that long lists keep short positions.
  private static let step: UInt32 = 1 << 20

  /// - Returns: nil for digits that no position has.
  init?(digits: [UInt32]) {
    guard (1...Self.digitLimit).contains(digits.count), digits.last != 0 else { return nil }
    self.digits = digits
  }

  private init(_ digits: [UInt32]) { self.digits = digits }

  /// Creates a position between two others.
  ///
  /// - Parameters:
  ///   - lower: nil for the beginning of the list.
  ///   - upper: nil for the end of the list. If it isn't greater than `lower`, the position follows `lower`.
  init(
    after lower: ListPosition?, before upper: ListPosition?,
    using random: inout some RandomNumberGenerator
  ) {
    let low = lower?.digits ?? []
    var high = upper?.digits
    if let upper, let lower, upper <= lower { high = nil }
    var digits: [UInt32] = []
    for index in 0... {
      let floor = index < low.count ? low[index] : 0
      // Above the last digit of the upper bound there is no bound any more.
      let ceiling = high.map { index < $0.count ? UInt64($0[index]) : 0 } ?? UInt64(UInt32.max)
      if ceiling > UInt64(floor) + 1 {
        let room = UInt32(ceiling - UInt64(floor) - 1)
        let isEnd = index == 0 && high == nil
        // The first entry is in the middle, so that there is room on both sides.
        let start = isEnd && low.isEmpty ? UInt32(1 << 31) : floor
        let reach = isEnd ? min(room, Self.step) : room
        self.init(digits + [start + .random(in: 1...reach, using: &random)])
        return
      }
      digits.append(floor)
      // Equal digits keep the bound for the next one; a smaller digit is below everything that begins with the bound.
      if ceiling != UInt64(floor) { high = nil }
    }
    preconditionFailure("the digits have no end")
  }
}

extension ListPosition: Comparable {
  static func < (a: ListPosition, b: ListPosition) -> Bool {
    a.digits.lexicographicallyPrecedes(b.digits)
  }
}

extension ListPosition: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let digits = try container.decode([UInt32].self)
    guard let position = ListPosition(digits: digits) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a position of \(digits.count) digits")
    }
    self = position
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(digits)
  }
}
