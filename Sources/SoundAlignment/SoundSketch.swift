/// The changes of a sound's loudness: the features by which passages are compared.
///
/// Each value is the level of a band without its mean in the second and a half around it, so that neither the volume
/// nor an equalizer matters. Most of a change of all bands together is removed too, since the pauses of any speech are
/// such ones. Levels far below the film's loudest ones count as silence, since encoders and noise change them.
struct SoundSketch: Sendable {
  /// The number of values of each band.
  let count: Int
  /// The values of the bands at one time, then those at the next one. The unit is 0.2 dB.
  let values: [Int8]
  /// The levels themselves, in half decibels.
  private let levels: [UInt8]
  /// The energies of all values before each time.
  private let energies: [Double]

  static let bands = SoundOutline.bands
  /// The radius of the mean, in seconds.
  private static let radius = 0.75
  /// The range below the loud levels, in half decibels.
  private static let range: Float = 90
  /// The part of a common change that is removed.
  private static let common: Float = 0.8
  /// The largest change, in half decibels.
  private static let limit: Float = 24
  /// The number of ``values``' units in half a decibel.
  private static let unit: Float = 2.5

  /// - Parameters:
  ///   - step: the number of times of the outline that are joined to one.
  ///   - scale: the factor by which the film is made longer.
  init(_ outline: SoundOutline, step: Int, scale: Double = 1) {
    let floors = Self.floors(outline)
    let source = outline.count
    let count = max(0, Int(Double(source / step) * scale))
    let width = Float(step)
    var levels = [UInt8](repeating: 0, count: count * Self.bands)
    outline.levels.withUnsafeBufferPointer { bytes in
      for time in 0..<count {
        // The middle of the joined times is where it is at scale 1.
        let at = (Double(time * step) + Double(step - 1) / 2) / scale - Double(step - 1) / 2
        let first = Int(at.rounded(.down))
        let part = Float(at - Double(first))
        for band in 0..<Self.bands {
          var sum: Float = 0
          for offset in 0...step {
            let index = min(max(0, first + offset), source - 1)
            let weight = offset == 0 ? 1 - part : offset == step ? part : 1
            if weight > 0 {
              sum += weight * max(Float(bytes[index * Self.bands + band]), floors[band])
            }
          }
          levels[time * Self.bands + band] = UInt8(min((sum / width).rounded(), 255))
        }
      }
    }
    self.count = count
    self.levels = levels
    values = Self.changes(levels, count, Int(Self.radius * Double(SoundOutline.rate / step)))
    var energies = [0.0]
    energies.reserveCapacity(count + 1)
    for time in 0..<count {
      let sum = values[time * Self.bands..<(time + 1) * Self.bands].reduce(0) {
        $0 + Int($1) * Int($1)
      }
      energies.append(energies[time] + Double(sum))
    }
    self.energies = energies
  }

  /// Returns the level of each band below which sound counts as silence.
  private static func floors(_ outline: SoundOutline) -> [Float] {
    (0..<bands).map { band in
      var counts = [Int](repeating: 0, count: 256)
      for index in stride(from: band, to: outline.levels.count, by: bands) {
        counts[Int(outline.levels[index])] += 1
      }
      let audible = outline.count - counts[0]
      var loud = 255
      var above = 0
      while loud > 0 {
        above += counts[loud]
        if above * 10 >= audible { break }
        loud -= 1
      }
      return max(0, Float(loud) - range)
    }
  }

  private static func changes(_ levels: [UInt8], _ count: Int, _ radius: Int) -> [Int8] {
    var values = [Int8](repeating: 0, count: levels.count)
    var sums = [Int](repeating: 0, count: bands)
    var (first, end) = (0, 0)
    for time in 0..<count {
      while end < min(count, time + radius + 1) {
        for band in 0..<bands { sums[band] += Int(levels[end * bands + band]) }
        end += 1
      }
      while first < time - radius {
        for band in 0..<bands { sums[band] -= Int(levels[first * bands + band]) }
        first += 1
      }
      func change(_ band: Int) -> Float {
        let mean = Float(sums[band]) / Float(end - first)
        return min(max(Float(levels[time * bands + band]) - mean, -limit), limit)
      }
      var total: Float = 0
      for band in 0..<bands { total += change(band) }
      for band in 0..<bands {
        let value = unit * (change(band) - common * total / Float(bands))
        values[time * bands + band] = Int8(value.rounded())
      }
    }
    return values
  }

  /// Returns the energy of the values at some times; those beyond the ends have none.
  func energy(_ times: Range<Int>) -> Double {
    energies[min(max(0, times.upperBound), count)] - energies[min(max(0, times.lowerBound), count)]
  }

  /// The mean energy at one time.
  var meanEnergy: Double { count == 0 ? 0 : energies[count] / Double(count) }

  /// Returns the sum of the products with another sketch's values, for up to a minute.
  ///
  /// - Parameter other: the time of the other sketch that is compared with the first time.
  func product(_ times: Range<Int>, with other: SoundSketch, at start: Int) -> Float {
    let first = max(times.lowerBound, times.lowerBound - start, 0)
    let end = min(times.upperBound, times.lowerBound - start + other.count, count)
    guard first < end else { return 0 }
    let distance = (start - times.lowerBound) * Self.bands
    return values.withUnsafeBufferPointer { own in
      other.values.withUnsafeBufferPointer { others in
        var sum: Int32 = 0
        for index in first * Self.bands..<end * Self.bands {
          sum &+= Int32(own[index]) &* Int32(others[index + distance])
        }
        return Float(sum)
      }
    }
  }

  /// Returns the mean difference of each band's level from another sketch's, in half decibels.
  func gains(_ times: Range<Int>, from other: SoundSketch, at start: Int) -> [Float] {
    var sums = [Float](repeating: 0, count: Self.bands)
    var total: Float = 0
    for time in times {
      let otherTime = time - times.lowerBound + start
      guard (0..<count).contains(time), (0..<other.count).contains(otherTime) else { continue }
      total += 1
      for band in 0..<Self.bands {
        sums[band] += Float(levels[time * Self.bands + band])
        sums[band] -= Float(other.levels[otherTime * Self.bands + band])
      }
    }
    return sums.map { $0 / max(1, total) }
  }

  /// Returns the difference of the levels from another sketch's at one time, in half decibels for each band; 20 dB at
  /// most, as beyond its ends.
  func distance(at time: Int, from other: SoundSketch, at otherTime: Int, gains: [Float]) -> Float {
    let limit: Float = 40
    guard (0..<count).contains(time), (0..<other.count).contains(otherTime) else {
      return Float(Self.bands) * limit
    }
    var sum: Float = 0
    for band in 0..<Self.bands {
      let level = Float(levels[time * Self.bands + band])
      let others = Float(other.levels[otherTime * Self.bands + band])
      sum += min(abs(level - others - gains[band]), limit)
    }
    return sum
  }

  /// Returns the correlation with another sketch, between -1 and 1; 0 where one of them has next to no energy.
  func correlation(_ times: Range<Int>, with other: SoundSketch, at start: Int) -> Double {
    let energy = energy(times)
    let others = other.energy(start..<start + times.count)
    let least = Double(times.count) * SoundSketch.leastEnergy
    guard energy > least, others > least else { return 0 }
    return Double(product(times, with: other, at: start)) / (energy * others).squareRoot()
  }

  /// The least energy at one time that is worth a comparison: changes by half a decibel.
  static let leastEnergy = Double(unit * unit) * Double(bands)
}
