import Timekeeping

@testable import GroupActivities

/// True time, which no participant knows: nanoseconds since the simulation began, or a duration. A
/// plain integer, because a debug build would spend most of its time on any other type.
public typealias Nanoseconds = Int64

extension Nanoseconds {
  public static func milliseconds(_ count: Int64) -> Nanoseconds { count * 1_000_000 }
  public static func seconds(_ count: Int64) -> Nanoseconds { count * 1_000_000_000 }

  var inSeconds: Double { Double(self) / 1e9 }

  /// Seconds with three digits, for stories.
  var secondsText: String {
    let milliseconds = magnitude / 1_000_000
    let digits = String(milliseconds % 1000)
    return (self < 0 ? "−" : "") + String(milliseconds / 1000) + "."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

/// Random numbers from a seed, without the cost of the standard library's generic ranges.
struct Dice: RandomNumberGenerator {
  private var source: RandomSource

  init(seed: UInt64) { source = .seeded(seed) }

  /// A sequence of its own for each purpose: taking one away leaves the others as they are.
  init(seed: UInt64, _ purposes: UInt64...) {
    var mixed = RandomSource.seeded(seed)
    var state = mixed.next()
    for purpose in purposes {
      mixed = .seeded(state ^ (purpose &* 0xD6E8_FEB8_6659_FD93))
      state = mixed.next()
    }
    source = .seeded(state)
  }

  mutating func next() -> UInt64 { source.next() }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  mutating func amount(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + fraction() * (range.upperBound - range.lowerBound)
  }

  /// Small numbers as often as large ones, over orders of magnitude.
  mutating func magnitude(_ range: ClosedRange<Int64>) -> Int64 {
    let ratio = Double(range.upperBound) / Double(range.lowerBound)
    return Int64(Double(range.lowerBound) * power(ratio, fraction()))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }

  private func power(_ base: Double, _ exponent: Double) -> Double {
    // Halving the exponent's bits: exact enough for dice, and the same on every machine.
    var result = 1.0
    var root = base
    var rest = exponent
    for _ in 0..<20 {
      root = root.squareRoot()
      rest *= 2
      if rest >= 1 {
        result *= root
        rest -= 1
      }
    }
    return result
  }
}
