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
}
