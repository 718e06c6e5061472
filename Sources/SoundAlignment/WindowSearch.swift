/// The windows of the party's sketch, and the places of the own sketch that sound like them.
struct WindowSearch {
  /// A place that sounds like a window.
  struct Candidate {
    /// The window's first time.
    var time: Double
    /// The place less the window's first time.
    var offset: Double
    /// The logarithm of the odds against chance.
    var evidence: Double
  }

  /// The number of times in a window.
  let size: Int
  private(set) var candidates: [Candidate] = []
  /// The middle of each window that was searched, and the deviation by chance there.
  private(set) var deviations: [(time: Int, deviation: Double)] = []
  private var usualDeviation = 1.0
  /// The sum of the windows' highest correlations.
  private var highest = 0.0
  /// The part of the windows that sound like two places alike.
  private(set) var repetition = 0.0

  /// The part of the windows that sound like much of the own sketch; 1 if none has changes.
  var periodicity: Double {
    guard !deviations.isEmpty else { return 1 }
    return Double(deviations.count { $0.deviation > 0.25 }) / Double(deviations.count)
  }

  /// The most evidence of one window, which might be a passage that other films have too.
  private static let limit = 50.0

  /// - Parameters:
  ///   - limit: the most windows.
  init(of partys: SoundSketch, in correlator: SketchCorrelator, size: Int, limit: Int) {
    self.size = size
    guard partys.count >= size else { return }
    let range = partys.count - size
    let hop = max(1, range / (limit - 1), min(size / 2, range / 11))
    let least = max(SoundSketch.leastEnergy, 0.1 * partys.meanEnergy) * Double(size)
    var repeating = 0
    for first in stride(from: 0, through: range, by: hop)
    where partys.energy(first..<first + size) > least {
      let finding = correlator.find(partys, from: first)
      highest += finding.highest
      deviations.append((first + size / 2, finding.deviation))
      for peak in finding.peaks {
        let chance = peak.correlation / finding.deviation
        candidates.append(
          Candidate(
            time: Double(first), offset: peak.place - Double(first),
            evidence: min(chance * chance / 2, Self.limit)))
      }
      if finding.isRepeating { repeating += 1 }
    }
    let sorted = deviations.map(\.deviation).sorted()
    usualDeviation = sorted.isEmpty ? 1 : sorted[sorted.count / 2]
    repetition = deviations.isEmpty ? 0 : Double(repeating) / Double(deviations.count)
  }

  /// The mean of the windows' highest correlations.
  var strength: Double { highest / Double(max(1, deviations.count)) }

  /// Returns the candidates' offsets in their order, if the own copy is longer by another factor.
  private func sorted(stretch: Double) -> [(offset: Double, evidence: Double)] {
    candidates.map { ($0.offset - (stretch - 1) * $0.time, $0.evidence) }.sorted { $0.0 < $1.0 }
  }

  /// Returns the sum of the evidence for each offset and those before it within a distance.
  private static func sums(
    _ sorted: [(offset: Double, evidence: Double)], within distance: Double
  ) -> [Double] {
    var (sum, first) = (0.0, 0)
    return sorted.map { candidate in
      sum += candidate.evidence
      while sorted[first].offset < candidate.offset - distance {
        sum -= sorted[first].evidence
        first += 1
      }
      return sum
    }
  }

  /// Returns the evidence that windows give for one offset together, if the own copy is longer by another factor.
  func concentration(stretch: Double) -> Double {
    let sorted = sorted(stretch: stretch)
    return zip(sorted, Self.sums(sorted, within: 0.5)).reduce(0) { $0 + $1.0.evidence * $1.1 }
  }

  /// Returns the offsets that have the most evidence.
  func offsets(stretch: Double) -> [Double] {
    var rest = sorted(stretch: stretch)
    var found: [Double] = []
    while found.count < Self.offsetLimit {
      let sums = Self.sums(rest, within: 1)
      guard let best = sums.indices.max(by: { sums[$0] < sums[$1] }) else { break }
      let group = rest.filter { (rest[best].offset - 1...rest[best].offset).contains($0.offset) }
      let weight = group.reduce(0) { $0 + $1.evidence }
      let middle = group.reduce(0) { $0 + $1.offset * $1.evidence } / weight
      found.append(middle)
      rest.removeAll { abs($0.offset - middle) <= 1.5 }
    }
    return found
  }

  private static let offsetLimit = 48

  /// Returns the deviation by chance of a part of the film that is shorter than a window.
  func deviation(of times: Range<Int>) -> Double {
    let middle = (times.lowerBound + times.upperBound) / 2
    let nearest = deviations.min { abs($0.time - middle) < abs($1.time - middle) }
    let window = max(usualDeviation, nearest?.deviation ?? 1)
    return window * (Double(size) / Double(times.count)).squareRoot()
  }
}
