/// Distinguishes numbers seen before from new ones, which may come in any order: the sliding window of RFC
/// 4303 §3.4.3.
struct ReplayWindow: Hashable, Sendable {
  private var newest: UInt64 = 0
  /// Bit n is set if `newest - n` was seen.
  private var seen: UInt64 = 0

  /// Returns whether a number was seen before, or is too old to decide.
  func contains(_ number: UInt64) -> Bool {
    guard number > 0 else { return true }
    guard number <= newest else { return false }
    return newest - number >= 64 || seen & (1 << (newest - number)) != 0
  }

  /// - Returns: false for a number that was seen before, or is too old to decide.
  mutating func admit(_ number: UInt64) -> Bool {
    guard !contains(number) else { return false }
    if number > newest {
      let distance = number - newest
      seen = distance < 64 ? (seen << distance) | 1 : 1
      newest = number
      return true
    }
    seen |= 1 << (newest - number)
    return true
  }
}
