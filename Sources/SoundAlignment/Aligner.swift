import Timekeeping

/// Aligns two copies of one film by their sound.
package enum Aligner {
  package enum Outcome: Hashable, Sendable {
    case aligned(CopyAlignment)
    case refused(Refusal)
  }

  /// The reason why two copies weren't aligned.
  package enum Refusal: Hashable, Sendable {
    /// One of the copies has next to no sound.
    case silence
    /// The sound fits at several offsets alike, or never changes.
    case ambiguity
    /// Too little of the party's audible sound agrees: this part of it, from 0 to 1. It is another film, or another
    /// version.
    case disagreement(Double)
  }

  /// The rates of films, as factors of the duration: 25 pictures per second for 24, and the opposite.
  private static let scales = [1, 24.0 / 25, 25.0 / 24]
  /// The factors between 24 and 23.976 pictures per second.
  private static let stretches = [1, 1001.0 / 1000, 1000.0 / 1001]
  /// The number of times of the outline in one of the sketches that are searched.
  private static let step = FineAlignment.step
  private static let windowLimit = 240
  private static let probeLimit = 16
  /// The longest window: 30 s.
  private static let longestWindow = 300
  /// The least audible sound, in seconds.
  private static let leastSound = 10.0
  /// The least agreement.
  private static let leastAgreement = 0.4
  /// The largest part of the evidence for an offset that another one may have.
  private static let rivalLimit = 0.8

  /// Aligns an own copy with the party's. It computes for some seconds for two hours: call it from a thread of its own.
  package static func align(own: SoundOutline, partys: SoundOutline) -> Outcome {
    guard own.audible > leastSound, partys.audible > leastSound else { return .refused(.silence) }
    let sketch = SoundSketch(own, step: step)
    let changes = [sketch, SoundSketch(partys, step: step)].map(\.meanEnergy)
    guard changes.allSatisfy({ $0 > SoundSketch.leastEnergy }) else { return .refused(.ambiguity) }
    let size = min(longestWindow, partys.count / step / 4, sketch.count / 2)
    let correlator = SketchCorrelator(sketch, window: size)
    func search(_ scale: Double, limit: Int) -> WindowSearch {
      WindowSearch(
        of: SoundSketch(partys, step: step, scale: scale), in: correlator, size: size, limit: limit)
    }
    let probes = scales.map { ($0, search($0, limit: probeLimit).strength) }
    let base = probes.max { $0.1 < $1.1 }?.0 ?? 1
    let windows = search(base, limit: windowLimit)
    guard windows.periodicity < 0.5 else { return .refused(.ambiguity) }
    let stretch = stretches.max {
      windows.concentration(stretch: $0) < windows.concentration(stretch: $1)
    }
    let scale = base * (stretch ?? 1)
    let path = OffsetPath(
      SoundSketch(partys, step: step, scale: scale), sketch,
      offsets: windows.offsets(stretch: stretch ?? 1), windows)
    let runs = path.runs.filter { $0.rival < rivalLimit }
    let isRepeating = windows.repetition > 0.5
    guard path.agreement >= leastAgreement else {
      return .refused(isRepeating ? .ambiguity : .disagreement(path.agreement))
    }
    guard !runs.isEmpty else { return .refused(.ambiguity) }
    guard let alignment = refine(own, partys, runs, scale: scale, agreement: path.agreement) else {
      return .refused(.disagreement(path.agreement))
    }
    return .aligned(alignment)
  }

  private static func refine(
    _ own: SoundOutline, _ partys: SoundOutline, _ runs: [OffsetPath.Run], scale: Double,
    agreement: Double
  ) -> CopyAlignment? {
    let sketch = SoundSketch(own, step: 1)
    var runs = runs
    var scale = scale
    var fine = FineAlignment(SoundSketch(partys, step: 1, scale: scale), sketch, runs)
    for _ in 0..<2 {
      guard let drift = fine.drift else { break }
      let better = rate(near: scale, drift)
      guard better != scale else { break }
      // Each run turns about its middle; its blocks stay where they are.
      for index in runs.indices {
        let turn = (better / scale - 1) * fine.middle(of: index)
        runs[index].offset = (fine.offsets[index] - turn) / Double(step)
      }
      fine = FineAlignment(SoundSketch(partys, step: 1, scale: better), sketch, runs)
      scale = better
    }
    let unit = 1 / Double(SoundOutline.rate)
    let pieces = fine.pieces.map { range, offset in
      CopyTimeline.Piece(
        begin: MediaTime(seconds: range.lowerBound * unit / scale),
        end: MediaTime(seconds: range.upperBound * unit / scale), offset: .seconds(offset * unit))
    }
    return CopyAlignment(pieces: pieces, scale: scale, agreement: agreement)
  }

  /// Returns the known rate that fits a drift, or the measured one.
  private static func rate(
    near scale: Double, _ drift: (slope: Double, error: Double, span: Double)
  ) -> Double {
    let measured = scale * (1 + drift.slope)
    // A time of the outline between the film's ends: 10 ms from its middle.
    let tolerance = max(1 / drift.span, 3 * drift.error)
    let known = scales.flatMap { scale in stretches.map { scale * $0 } }
    let nearest = known.min { abs($0 - measured) < abs($1 - measured) }
    if let nearest, abs(nearest / measured - 1) < tolerance { return nearest }
    return abs(drift.slope) > tolerance ? measured : scale
  }
}

extension SoundOutline {
  /// The seconds in which a band is louder than -70 dB.
  fileprivate var audible: Double {
    let loud = (0..<count).count { time in
      levels[time * Self.bands..<(time + 1) * Self.bands].contains { $0 > 80 }
    }
    return Double(loud) / Double(Self.rate)
  }
}
