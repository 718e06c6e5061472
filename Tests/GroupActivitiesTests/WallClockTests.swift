import Testing

@testable import GroupActivities
@testable import Timekeeping

/// A participant whose messages take 10 ms to the reference and 60 ms back, and the wall clocks of both.
private struct UnevenPath {
  /// Group time minus host time, and UTC minus host time.
  static let offset = Duration.seconds(1234)
  static let wall = Duration.seconds(1_700_000_000)

  var there = Duration.milliseconds(10)
  var back = Duration.milliseconds(60)
  var clock = PartyClock()
  var now = HostTime(nanoseconds: 5_000_000_000)
  /// The errors of the wall clocks: this participant's and, by their claims, the others'.
  var ownError = Duration.zero
  var ownClaim = Duration.milliseconds(2)
  var others: [Other] = []
  private var records: [WallClockRecord] = []
  var random: RandomSource

  struct Other {
    var error = Duration.zero
    var claim = Duration.milliseconds(2)
    /// The error of its group time; the reference has none.
    var clockError = Duration.zero
    var clockUncertainty = Duration.zero
  }

  init(seed: UInt64) { random = .seeded(seed) }

  /// Returns a duration within ± a limit.
  mutating func error(within limit: Duration) -> Duration {
    limit * Double.random(in: -1...1, using: &random)
  }

  /// Runs a second: the wall clocks' readings, and an exchange.
  mutating func runSecond() {
    clock.noteWallClock(
      WallClockReading(offset: Self.wall + ownError, uncertainty: ownClaim), at: now)
    if records.count != others.count { records = others.map { _ in WallClockRecord() } }
    for (index, other) in others.enumerated() {
      records[index].note(
        WallClockRecord.Reading(
          offset: Self.wall - Self.offset + other.error - other.clockError,
          uncertainty: other.claim + other.clockUncertainty,
          clockUncertainty: other.clockUncertainty, taken: now))
    }
    let sent = now
    let received = GroupTime(nanoseconds: (sent + there + Self.offset).nanoseconds)
    now = sent + there + back
    clock.addExchange(
      sent: sent, received: received, answered: received, returned: now,
      responderUncertainty: .zero, at: now)
    let time = now
    clock.compareWallClocks(records.compactMap { $0.reading(at: time) }, at: now)
    now = sent + .seconds(1)
  }

  /// The error of the clock that is shown, and its uncertainty.
  var shown: (error: Duration, uncertainty: Duration) {
    let reading = clock.reading(at: now)!
    return (reading.offset - Self.offset, reading.uncertainty)
  }

  var isHonest: Bool { shown.error.magnitude <= shown.uncertainty + .microseconds(1) }
}

@Suite("Wall clocks as witnesses")
struct WallClockTests {
  @Test(
    "With 10 ms there and 60 ms back the truth is always within the uncertainty, and that is narrower"
  )
  func uneven() {
    for seed in 0..<200 {
      var path = UnevenPath(seed: UInt64(seed))
      let claims = [2.0, 5, 8].map(Duration.milliseconds)
      path.ownClaim = claims[seed % 3]
      path.ownError = path.error(within: path.ownClaim)
      let claim = claims[seed / 3 % 3]
      path.others = [.init(error: path.error(within: claim), claim: claim)]
      if seed % 2 == 1 { path.clock.settle() }
      for second in 0..<20 {
        path.runSecond()
        #expect(path.isHonest, "seed \(seed), second \(second): \(path.shown)")
      }
      // The exchanges alone leave ± 35 ms, and are 25 ms off.
      let sum = path.ownClaim + claim
      let (error, uncertainty) = path.shown
      #expect(uncertainty < .milliseconds(35) && error.magnitude < .milliseconds(25.1))
      if sum < .milliseconds(8) {
        #expect(
          uncertainty < sum * 2 && error.magnitude < .milliseconds(12),
          "seed \(seed): \(path.shown)")
      }
      #expect(path.clock.witnessCount(at: path.now) == 1, "seed \(seed): \(path.shown)")
    }
  }

  @Test("Without wall clocks the exchanges alone count")
  func none() {
    var path = UnevenPath(seed: 1)
    for _ in 0..<20 { path.runSecond() }
    #expect(abs(path.shown.uncertainty / .milliseconds(1) - 35) < 1)
    #expect(abs(path.shown.error / .milliseconds(1) + 25) < 1)
    #expect(path.clock.witnessCount(at: path.now) == 0)
  }

  @Test("A wall clock that contradicts the exchanges has no effect", arguments: [-0.2, 0.08, 3600])
  func contradiction(error: Double) {
    var plain = UnevenPath(seed: 1)
    var path = UnevenPath(seed: 1)
    path.others = [.init(error: .seconds(error))]
    for _ in 0..<20 {
      plain.runSecond()
      path.runSecond()
      #expect(path.isHonest)
    }
    #expect(path.shown == plain.shown)
  }

  @Test("A liar among three wall clocks has no effect")
  func liar() {
    for seed in 0..<100 {
      var path = UnevenPath(seed: UInt64(seed))
      path.others = (0..<3).map { _ in .init() }
      for index in 0..<2 { path.others[index].error = path.error(within: .milliseconds(2)) }
      path.others[2].error = path.error(within: .milliseconds(40))
      path.others[1].clockUncertainty = .milliseconds(3)
      path.others[1].clockError = path.error(within: .milliseconds(3))
      for _ in 0..<5 {
        path.runSecond()
        #expect(path.isHonest, "seed \(seed): \(path.shown)")
        #expect(path.clock.witnessCount(at: path.now) >= 2, "seed \(seed): no claim is used")
      }
      #expect(path.shown.uncertainty < .milliseconds(20))
    }
  }

  @Test("This machine's wall clock isn't used for ten minutes after it was set")
  func ownStep() {
    var path = UnevenPath(seed: 1)
    path.others = [.init()]
    for _ in 0..<5 { path.runSecond() }
    #expect(path.shown.uncertainty < .milliseconds(10))
    path.ownError = .milliseconds(20)
    path.runSecond()
    #expect(path.clock.witnessCount(at: path.now) == 0)
    #expect(path.clock.wallClockClaim(doubt: .zero, at: path.now) == nil)
    // The time service corrects it.
    path.ownError = .zero
    for _ in 0..<601 {
      path.runSecond()
      #expect(path.isHonest)
    }
    #expect(path.shown.uncertainty < .milliseconds(10))
  }

  @Test("Another participant's wall clock isn't used for ten minutes after it was set")
  func otherStep() {
    var path = UnevenPath(seed: 1)
    path.others = [.init()]
    for _ in 0..<5 { path.runSecond() }
    path.others[0].error = .milliseconds(20)
    for _ in 0..<599 {
      path.runSecond()
      #expect(path.isHonest && path.clock.witnessCount(at: path.now) == 0)
    }
  }

  @Test("A clock that nobody keeps any more is forgotten")
  func unsynchronized() {
    var path = UnevenPath(seed: 1)
    path.others = [.init()]
    for _ in 0..<5 { path.runSecond() }
    path.clock.noteWallClock(nil, at: path.now)
    #expect(path.clock.wallClockClaim(doubt: .zero, at: path.now) == nil)
    path.clock.compareWallClocks([], at: path.now)
    #expect(path.clock.witnessCount(at: path.now) == 0)
  }

  @Test("The kernel's figures count only if a time service states them")
  func kernel() {
    func bound(_ isSynchronized: Bool, _ largest: Int, _ expected: Int) -> Duration? {
      WallClockReading.uncertainty(
        isSynchronized: isSynchronized, largest: .microseconds(largest),
        expected: .microseconds(expected), pending: .microseconds(300))
    }
    #expect(bound(true, 4000, 20) == .microseconds(4300))
    #expect(bound(false, 4000, 20) == nil)
    // What systemd-timesyncd writes.
    #expect(bound(true, 500, 0) == nil)
    #expect(bound(true, 10, 20) == nil)
  }

  @Test("The agreement of intervals contains the truth if less than half of them lie")
  func agreement() {
    func agreed(_ intervals: [(Int, Int)]) -> [Int]? {
      ClockWitness.agreement(
        of: intervals.map { (Duration.milliseconds($0.0), Duration.milliseconds($0.1)) }
      ).map { [Int($0.lower / .milliseconds(1)), Int($0.upper / .milliseconds(1)), $0.count] }
    }
    #expect(agreed([]) == nil)
    #expect(agreed([(3, 5)]) == [3, 5, 1])
    #expect(agreed([(3, 5), (4, 9)]) == [4, 5, 2])
    #expect(agreed([(3, 5), (6, 9)]) == nil)
    #expect(agreed([(3, 5), (4, 9), (20, 21)]) == [4, 5, 2])
    // Either of the narrow ones may be the liar.
    #expect(agreed([(0, 10), (0, 2), (8, 10)]) == [0, 10, 3])
    #expect(agreed([(3, 5), (5, 9)]) == [5, 5, 2])
    #expect(agreed([(0, 1), (4, 5), (8, 9)]) == nil)

    var random = RandomSource.seeded(7)
    for _ in 0..<2000 {
      let count = Int.random(in: 1...9, using: &random)
      let liars = Int.random(in: 0...(count - 1) / 2, using: &random)
      let intervals = (0..<count).map { index in
        let (half, far) = (
          Int.random(in: 0...20, using: &random), Int.random(in: -60...60, using: &random)
        )
        let middle = index < liars ? far : Int.random(in: -half...half, using: &random)
        return (middle - half, middle + half)
      }
      let range = agreed(intervals)
      #expect(range != nil && range![0] <= 0 && range![1] >= 0, "\(intervals)")
    }
  }

  @Test("A claim with impossible numbers is malformed")
  func malformed() {
    for (uncertainty, clock) in [(-1, 0), (5, 6), (2_000_000_000, 0)] as [(Int64, Int64)] {
      #expect(
        !WallClockClaim(offset: .max, uncertainty: uncertainty, clockUncertainty: clock)
          .isPlausible)
    }
  }
}
