import Testing
import Timekeeping

@testable import Screening

@Suite("A player that can't keep up")
struct PaceLimitTests {
  private let begin = HostTime(nanoseconds: 9_000_000_000)
  private let fast = PaceLimit.Playback(item: "a film", rate: 1.5)

  private func at(_ seconds: Double) -> HostTime { begin + .seconds(seconds) }

  /// Notes four times a second, and returns the first time at which the player is to be separated.
  private func separation(
    _ limit: inout PaceLimit, in playback: PaceLimit.Playback? = nil, from start: Double = 0,
    for seconds: Double, isInStep: (Double) -> Bool = { _ in false }
  ) -> (after: Double, isNews: Bool)? {
    for step in 0...Int(seconds * 4) {
      let passed = Double(step) / 4
      let next = limit.note(
        isInStep: isInStep(passed), in: playback ?? fast, at: at(start + passed))
      if case .separate(let isNews) = next { return (passed, isNews) }
    }
    return nil
  }

  @Test("After ten seconds out of step it goes on at its own pace, and its user reads so once")
  func limit() throws {
    var limit = PaceLimit()
    for isNews in [true, false, false] {
      let found = try #require(separation(&limit, for: 60))
      #expect(found.after == 10 && found.isNews == isNews)
    }
  }

  @Test("One that falls behind after each seek goes on, and one that strays now and then doesn't")
  func shares() throws {
    var limit = PaceLimit()
    let found = separation(&limit, for: 60) { $0.truncatingRemainder(dividingBy: 4) < 1 }
    #expect(try #require(found).after < 20)
    limit = PaceLimit()
    #expect(
      separation(&limit, for: 3600) { $0.truncatingRemainder(dividingBy: 25) >= 4 } == nil)
  }

  @Test("A wait for data doesn't count, and what was lost before it stays lost")
  func waits() throws {
    var limit = PaceLimit()
    #expect(separation(&limit, for: 6) == nil)
    limit.waited()
    #expect(try #require(separation(&limit, from: 60, for: 60)).after == 4)
  }

  @Test("Commands and suspended processes don't count; another rate or film is a new attempt")
  func interruptions() {
    var limit = PaceLimit()
    for start in [0.0, 20] {
      #expect(separation(&limit, from: start, for: 9) == nil)
      limit.interrupted()
    }
    for hour in 0..<6 { #expect(separation(&limit, from: Double(hour) * 3600, for: 0) == nil) }
    for playback in [
      PaceLimit.Playback(item: "a film", rate: 1), .init(item: "another", rate: 1.5),
    ] {
      var limit = PaceLimit()
      _ = separation(&limit, for: 60)
      #expect(separation(&limit, in: playback, from: 60, for: 9) == nil)
      #expect(separation(&limit, in: playback, from: 69.25, for: 9)?.isNews == true)
    }
  }

  /// Plays apart from the group, measured four times a second, and returns the time after which the player rejoins.
  private func play(
    _ limit: inout PaceLimit, from start: Double, speed: Double?, for seconds: Double
  ) -> Double? {
    for step in 0...Int(seconds * 4) {
      let passed = Double(step) / 4
      let itemTime = speed.map { MediaTime(seconds: 100 + $0 * passed) }
      if limit.played(to: itemTime, at: at(start + passed)) { return passed }
    }
    return nil
  }

  @Test("It rejoins when it has kept its rate, or stood, for ten seconds, then twenty, and so on")
  func rejoins() {
    for speed in [1.5, nil] {
      var limit = PaceLimit()
      for trial in [10.0, 20, 40, 80, 160, 320, 600, 600] {
        _ = separation(&limit, for: 60)
        #expect(play(&limit, from: 60, speed: speed, for: 700) == trial)
      }
    }
    var limit = PaceLimit()
    _ = separation(&limit, for: 60)
    #expect(play(&limit, from: 60, speed: 1.45, for: 700) == nil)
  }
}
