/// A source of a machine's random numbers: the system, or a seed, so that a simulated party can be repeated
/// exactly.
package enum RandomSource: RandomNumberGenerator, Hashable, Sendable {
  case system
  /// SplitMix64 (Steele, Lea and Flood, 2014). It isn't suitable for secrets.
  case seeded(UInt64)

  package mutating func next() -> UInt64 {
    switch self {
    case .system:
      var system = SystemRandomNumberGenerator()
      return system.next()
    case .seeded(let state):
      let next = state &+ 0x9E37_79B9_7F4A_7C15
      self = .seeded(next)
      var mixed = next
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
