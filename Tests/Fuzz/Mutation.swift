@testable import GroupActivities

/// Changes of the kinds that find mistakes in parsers, from a seed.
struct Mutation {
  var dice: RandomSource

  /// Pieces that parsers treat specially, inserted in fitting and other positions.
  private static let words: [[UInt8]] = [
    "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e308",
    "0.5", "null", "\"\"", "[]", "{}", "true", "nan", "inf", "\r\n", "\n", "\0", "://", "#", "%",
    "\"", "\\u0000", "\\ud800", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{202E}", "\u{200D}", "\u{301}",
    "\u{9B}31m", "🏳️‍🌈", "PUB a 1\r\nx\r\n", "PING\r\n", "#EXTINF:1e300,\n",
  ].map { Array($0.utf8) }

  init(seed: UInt64) { dice = .seeded(seed) }

  /// Returns one of the seeds, changed; now and then entirely random bytes.
  mutating func input(from seeds: [[UInt8]]) -> [UInt8] {
    guard let seed = seeds.randomElement(using: &dice), Int.random(in: 0..<8, using: &dice) > 0
    else { return noise() }
    var bytes = seed
    for _ in 0..<Int.random(in: 1...4, using: &dice) { change(&bytes, seeds) }
    return Array(bytes.prefix(16_384))
  }

  private mutating func noise() -> [UInt8] {
    (0..<Int.random(in: 0...200, using: &dice)).map { _ in
      UInt8.random(in: 0...255, using: &dice)
    }
  }

  private mutating func change(_ bytes: inout [UInt8], _ seeds: [[UInt8]]) {
    let place = Int.random(in: 0...bytes.count, using: &dice)
    let end = Int.random(in: place...min(bytes.count, place + 40), using: &dice)
    switch Int.random(in: 0..<8, using: &dice) {
    case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &dice)
    case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.insert(contentsOf: Self.words.randomElement(using: &dice)!, at: place)
    case 5: replaceNumber(in: &bytes, from: place)
    case 6:
      // Often too long, rarely slow.
      let count = [8, 100, 5000].randomElement(using: &dice)!
      let byte: UInt8 = place < bytes.count ? bytes[place] : 91
      bytes.insert(contentsOf: [UInt8](repeating: byte, count: count), at: place)
    default:
      guard let other = seeds.randomElement(using: &dice) else { return }
      let cut = Int.random(in: 0...other.count, using: &dice)
      bytes.replaceSubrange(place..., with: other[cut...])
    }
  }

  private mutating func replaceNumber(in bytes: inout [UInt8], from place: Int) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = bytes[place...].firstIndex(where: digits.contains) else { return }
    let last = bytes[first...].firstIndex { !digits.contains($0) } ?? bytes.endIndex
    bytes.replaceSubrange(first..<last, with: Self.words[Int.random(in: 0..<15, using: &dice)])
  }
}
