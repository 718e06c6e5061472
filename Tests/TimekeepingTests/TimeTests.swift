import Testing
import Timekeeping

@Suite("Times")
struct TimeTests {
  @Test(
    "Seconds from files and peers never trap",
    arguments: [
      Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, 12.5,
    ])
  func clamping(seconds: Double) {
    let time = MediaTime(seconds: seconds)
    #expect(time.nanoseconds == (seconds.isNaN ? 0 : time.nanoseconds))
    #expect(Duration(clampingSeconds: seconds).inNanoseconds == time.nanoseconds)
    _ = time + .seconds(Int64.max / 2)
    _ = time - .seconds(Int64.max / 2)
  }

  @Test("Media time keeps microseconds exactly over a long film")
  func precision() {
    #expect(MediaTime(seconds: 12_345.678901).nanoseconds == 12_345_678_901_000)
    #expect(MediaTime(nanoseconds: 12_345_678_901_000).seconds == 12_345.678901)
  }

  @Test("Host time never goes backwards and is the monotonic clock's")
  func monotonic() {
    let first = HostTime.now()
    let second = HostTime.now()
    #expect(second >= first)
    #expect(second - first < .seconds(10))
  }

  @Test("Distances and instants agree")
  func arithmetic() {
    let start = GroupTime(nanoseconds: 10)
    #expect((start + .seconds(2)) - start == .seconds(2))
    #expect(start.advanced(by: .milliseconds(-1)) < start)
    #expect(HostTime(nanoseconds: .max) + .seconds(1) == HostTime(nanoseconds: .max))
  }

  @Test(
    "Durations times and divided by factors from peers never trap",
    arguments: [1e30, -1e30, 1e308, .infinity, -.infinity, .nan, 0, 1e-300, 1.5])
  func scaling(factor: Double) {
    let limit = Duration.seconds(9_300_000_000 as Int64)
    for duration in [Duration.seconds(3), .seconds(-3), .zero, .seconds(9_000_000_000)] {
      for result in [duration * factor, duration / factor] {
        #expect(result.magnitude <= limit)
      }
    }
    #expect(Duration.seconds(factor).magnitude <= limit)
    #expect(Duration.milliseconds(factor).magnitude <= limit)
    #expect(Duration.microseconds(factor).magnitude <= limit)
  }

  @Test("A number that doesn't fit into an integer is clamped")
  func integers() {
    #expect(Int(clampingRounded: 12.5) == 13 && Int(clampingRounded: -0.4) == 0)
    #expect(Int(clampingRounded: 1e30) == .max && Int(clampingRounded: -.infinity) == .min)
    #expect(Int(clampingRounded: 0x1p63) == .max && Int(clampingRounded: -0x1p63) == .min)
    #expect(Int(clampingRounded: .nan) == 0)
  }

  @Test("Clamped arithmetic is exact to the nanosecond where nothing is clamped")
  func exactScaling() {
    #expect(Duration.seconds(7_200) * 1.25 == .seconds(9_000))
    #expect(Duration.milliseconds(3) / 2.0 == .microseconds(1_500))
    #expect(Duration.milliseconds(0.25) == .microseconds(250))
  }
}
