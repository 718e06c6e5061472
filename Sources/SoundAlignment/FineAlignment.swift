/// The exact offsets, rate and cuts of a path, from the sketches of 50 times per second.
struct FineAlignment {
  /// The number of these times in one time of the path.
  static let step = 5
  /// The radius of the search for an offset, in these times.
  private static let radius = 12
  /// The number of blocks whose common offset shows the rate.
  private static let blocksInChunk = 4
  /// The least part of the film that both copies replaced by something else, in these times: 10 s.
  private static let leastReplacement = 500
  /// The least difference of two pieces' offsets, in these times: 16 ms.
  private static let leastChange = 0.8

  /// The offset of some seconds, less that of their run.
  private typealias Chunk = (run: Int, time: Double, difference: Double)

  /// The offset of each run, in these times.
  private(set) var offsets: [Double] = []
  private var chunks: [Chunk] = []
  private let runs: [OffsetPath.Run]
  private let partys: SoundSketch
  private let own: SoundSketch

  init(_ partys: SoundSketch, _ own: SoundSketch, _ runs: [OffsetPath.Run]) {
    (self.partys, self.own, self.runs) = (partys, own, runs)
    for (index, run) in runs.enumerated() {
      let base = Int((run.offset * Double(Self.step)).rounded())
      var total = [Float](repeating: 0, count: 2 * Self.radius + 1)
      var found: [(time: Double, place: Double)] = []
      for first in stride(from: 0, to: run.agreeing.count, by: Self.blocksInChunk) {
        let blocks = run.agreeing[first..<min(first + Self.blocksInChunk, run.agreeing.count)]
        var products = [Float](repeating: 0, count: total.count)
        for block in blocks {
          let times = Self.times(block)
          for lag in total.indices {
            products[lag] += partys.product(
              times, with: own, at: times.lowerBound + base + lag - Self.radius)
          }
        }
        for lag in total.indices { total[lag] += products[lag] }
        let time =
          Double(blocks.reduce(0) { $0 + Self.times($1).lowerBound }) / Double(blocks.count)
        if let place = Self.peak(products) { found.append((time, place)) }
      }
      let place = Self.peak(total) ?? Double(Self.radius)
      offsets.append(Double(base) + place - Double(Self.radius))
      chunks += found.map { (index, $0.time, $0.place - place) }
    }
  }

  private static func times(_ block: Int) -> Range<Int> {
    let size = OffsetPath.block * step
    return block * size..<(block + 1) * size
  }

  /// The middle of the blocks that agree in a run.
  func middle(of run: Int) -> Double {
    let blocks = runs[run].agreeing
    let sum = blocks.reduce(0) { $0 + Self.times($1).lowerBound + Self.times($1).upperBound }
    return Double(sum) / 2 / Double(max(1, blocks.count))
  }

  private static func peak(_ values: [Float]) -> Double? {
    guard let top = values.indices.max(by: { values[$0] < values[$1] }), top > 0,
      top < values.count - 1, values[top] > 0
    else { return nil }
    return Double(top) + Parabola.peak(values[top - 1], values[top], values[top + 1])
  }

  /// The growth of the offset per time within the runs, its standard error, and the span of time that shows it.
  var drift: (slope: Double, error: Double, span: Double)? {
    var kept = chunks.filter { abs($0.difference) < 8 }
    // Passages in another language have no offset of their own, or a wrong one.
    for limit in [6.0, 3, 1.5] {
      kept = zip(kept, Self.line(kept).rests).filter { abs($1) < limit }.map { $0.0 }
    }
    guard kept.count >= 3, let first = kept.map(\.time).min(), let last = kept.map(\.time).max(),
      last > first
    else { return nil }
    let line = Self.line(kept)
    return (line.slope, line.error, last - first)
  }

  /// Returns the common slope of lines through each run's chunks, its standard error, and the distances from the lines.
  private static func line(_ chunks: [Chunk]) -> (slope: Double, error: Double, rests: [Double]) {
    let means = Dictionary(grouping: chunks, by: \.run).mapValues { run in
      let sum = run.reduce((0.0, 0.0)) { ($0.0 + $1.time, $0.1 + $1.difference) }
      return (time: sum.0 / Double(run.count), difference: sum.1 / Double(run.count))
    }
    let points = chunks.map { chunk in
      let mean = means[chunk.run] ?? (0, 0)
      return (x: chunk.time - mean.time, y: chunk.difference - mean.difference)
    }
    let square = points.reduce(0) { $0 + $1.x * $1.x }
    let slope = square > 0 ? points.reduce(0) { $0 + $1.x * $1.y } / square : 0
    let rests = points.map { $0.y - slope * $0.x }
    let freedom = Double(max(1, chunks.count - means.count - 1))
    let error = (rests.reduce(0) { $0 + $1 * $1 } / freedom / square).squareRoot()
    return (slope, square > 0 ? error : .infinity, rests)
  }

  /// The party's times that both copies have, in their order, and the offsets there.
  var pieces: [(range: Range<Double>, offset: Double)] {
    var pieces: [(range: Range<Double>, offset: Double)] = []
    var start = max(0, -(offsets.first ?? 0))
    for (index, offset) in offsets.enumerated() {
      let isLast = index == offsets.count - 1
      let end = min(Double(partys.count), Double(own.count) - offset)
      let cut = isLast ? (end: end, start: end) : cut(after: index)
      if let last = pieces.last {
        // A run may be shorter than the search for its cuts.
        start = max(start, last.range.upperBound + max(0, last.offset - offset))
      }
      if start < cut.end {
        if let last = pieces.last, abs(last.offset - offset) < Self.leastChange {
          pieces[pieces.count - 1].range = last.range.lowerBound..<cut.end
        } else {
          pieces.append((start..<cut.end, offset))
        }
      }
      start = cut.start
    }
    return pieces
  }

  /// Returns the end of a run, and the start of the next one.
  private func cut(after index: Int) -> (end: Double, start: Double) {
    let (before, after) = (offsets[index], offsets[index + 1])
    // The party's film goes on for this long in which the own copy doesn't.
    let gap = max(0, before - after)
    let low = Self.times(max(0, runs[index].blocks.upperBound - 2)).lowerBound
    let end = min(Self.times(runs[index + 1].blocks.lowerBound + 1).upperBound, partys.count)
    let high = max(low, end)
    // The blocks at both ends agree.
    let edge = min(high - low, OffsetPath.block * Self.step)
    let firsts = distances(low..<high, offset: before, gains: low..<low + edge)
    let seconds = distances(low..<high, offset: after, gains: high - edge..<high)
    let (count, whole) = (firsts.count - 1, Int(gap.rounded()))
    guard whole <= count else { return (Double(high) - gap, Double(high)) }
    func best(_ places: ClosedRange<Int>, _ cost: (Int) -> Float) -> Int {
      places.min { cost($0) < cost($1) } ?? places.lowerBound
    }
    let change = best(0...count - whole) { firsts[$0] - seconds[$0 + whole] }
    // Both may have something else in between. Blocks that agree show how near the copies are, and others how far.
    let near = firsts[edge] + seconds[count] - seconds[count - edge]
    let far = seconds[edge] + firsts[count] - firsts[count - edge]
    let middle = (near + far) / Float(4 * max(1, edge))
    let last = best(0...count) { firsts[$0] - middle * Float($0) }
    let first = best(0...count) { middle * Float($0) - seconds[$0] }
    guard first - last - whole > Self.leastReplacement else {
      return (Double(low + change), Double(low + change) + gap)
    }
    return (Double(low + last), Double(low + first))
  }

  /// Returns the sums of the distances before each time.
  ///
  /// - Parameter gains: the times at which the copies agree and show the difference of their volumes.
  private func distances(_ times: Range<Int>, offset: Double, gains: Range<Int>) -> [Float] {
    let distance = Int(offset.rounded())
    let gains = partys.gains(gains, from: own, at: gains.lowerBound + distance)
    var sums: [Float] = [0]
    for time in times {
      let next = partys.distance(at: time, from: own, at: time + distance, gains: gains)
      sums.append(sums[sums.count - 1] + next)
    }
    return sums
  }
}
