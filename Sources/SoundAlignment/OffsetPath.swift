#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The most plausible offsets of the own copy in the course of the party's film, by dynamic programming.
///
/// The film is divided into blocks of five seconds. Each block that resembles the own copy at an offset speaks for it,
/// and each change of the offset needs evidence, so that music that repeats doesn't lead astray. Time never runs
/// backwards in either copy.
struct OffsetPath {
  /// Successive blocks with one offset.
  struct Run {
    /// The own copy's time less the party's.
    var offset: Double
    /// The blocks from the first one that agrees to the last one.
    var blocks: Range<Int>
    /// The blocks that agree.
    var agreeing: [Int]
    /// The evidence for the best other offset, as a part of that for this one.
    var rival: Double
  }

  /// The number of times in a block.
  static let block = 50
  /// The correlation of a block that agrees.
  private static let threshold = 0.3
  /// The evidence that a change of the offset needs.
  private static let changeCost = 18.0
  /// The same for a change by less than ``nearby``, such as that of a drift.
  private static let nearbyCost = 6.0
  private static let nearby = 2.5
  /// The most evidence of one block.
  private static let limit = 12.0

  private(set) var runs: [Run] = []
  /// The part of the party's audible blocks that agree.
  let agreement: Double

  init(_ partys: SoundSketch, _ own: SoundSketch, offsets: [Double], _ search: WindowSearch) {
    let count = partys.count / Self.block
    let least = max(SoundSketch.leastEnergy, 0.1 * partys.meanEnergy) * Double(Self.block)
    var audible = 0
    var correlations = [[Double]](
      repeating: [Double](repeating: 0, count: offsets.count), count: count)
    var evidence = correlations
    for block in 0..<count {
      let times = block * Self.block..<(block + 1) * Self.block
      guard partys.energy(times) > least else { continue }
      audible += 1
      let deviation = search.deviation(of: times)
      for (state, offset) in offsets.enumerated() {
        let start = times.lowerBound + Int(offset.rounded(.down))
        let correlation = max(
          partys.correlation(times, with: own, at: start),
          partys.correlation(times, with: own, at: start + 1))
        correlations[block][state] = correlation
        guard correlation > 0 else { continue }
        let odds = -log(max(1 - correlation * correlation, 1e-9)) / (2 * deviation * deviation)
        evidence[block][state] = min(max(0, odds - 1), Self.limit)
      }
    }
    let states = Self.states(evidence, offsets)
    var agreeing = 0
    var first = 0
    while first < states.count {
      let state = states[first].state
      var last = first
      while last + 1 < states.count, states[last + 1].state == state { last += 1 }
      let blocks = states[first...last].map(\.block)
      let good = blocks.filter { correlations[$0][state] > Self.threshold }
      agreeing += good.count
      if let begin = good.first, let end = good.last {
        func sum(_ state: Int) -> Double { blocks.reduce(0) { $0 + evidence[$1][state] } }
        let others = offsets.indices.filter { abs(offsets[$0] - offsets[state]) > 3 }
        let rival = others.map(sum).max() ?? 0
        runs.append(
          Run(
            offset: offsets[state], blocks: begin..<end + 1, agreeing: good,
            rival: rival / max(sum(state), .leastNormalMagnitude)))
      }
      first = last + 1
    }
    agreement = audible == 0 ? 0 : Double(agreeing) / Double(audible)
  }

  /// Returns the states of the best path, in the order of their blocks; some blocks may have none.
  private static func states(
    _ evidence: [[Double]], _ offsets: [Double]
  ) -> [(block: Int, state: Int)] {
    /// The sum of the evidence up to a block that has a state, and the block and the state before it.
    struct Step { var sum: Double, before: (block: Int, state: Int)? }
    var steps: [[Step]] = []
    for block in evidence.indices {
      steps.append(
        offsets.indices.map { state in
          var best = Step(sum: -changeCost, before: nil)
          for other in offsets.indices {
            let distance = offsets[state] - offsets[other]
            // The block may hold the cut.
            let reach = min(0, ((distance / Double(Self.block)) + 0.5).rounded(.down))
            let last = block - 1 + Int(max(reach, -1e9))
            guard last >= 0 else { continue }
            let cost =
              other == state ? 0 : abs(distance) < nearby ? nearbyCost : changeCost
            let sum = steps[last][other].sum - cost
            if sum > best.sum { best = Step(sum: sum, before: (last, other)) }
          }
          best.sum += evidence[block][state]
          return best
        })
    }
    guard let last = steps.last, let end = last.indices.max(by: { last[$0].sum < last[$1].sum }),
      last[end].sum > 0
    else { return [] }
    var path = [(block: steps.count - 1, state: end)]
    while let before = steps[path[path.count - 1].block][path[path.count - 1].state].before {
      path.append(before)
    }
    return path.reversed()
  }
}
