import Testing
import Timekeeping

@testable import Screening

@Suite("Whether a link carries a shared film")
struct ShareMeterTests {
  /// Notes what arrives at a rate, each second; the first shortage, and after how many seconds.
  private func shortage(
    bytesPerSecond: Int, of size: Int, duration: Duration, from arrived: Int = 0
  ) -> (ShareMeter.Shortage, after: Int)? {
    var meter = ShareMeter()
    for second in 0..<30 {
      let bytes = min(size, arrived + second * bytesPerSecond)
      let now = HostTime(nanoseconds: 0) + .seconds(second)
      if let shortage = meter.note(
        ArrivedPart(bytes: bytes, size: size), of: duration, at: .zero, now: now)
      {
        return (shortage, second)
      }
    }
    return nil
  }

  @Test("A link that is slower than the film is reported within seconds, with the time to wait")
  func slow() throws {
    // An hour of 8 Mbit/s over 3 Mbit/s.
    let (found, after) = try #require(
      shortage(bytesPerSecond: 375_000, of: 3_600_000_000, duration: .seconds(3600)))
    #expect(after <= 10)
    #expect(found.link == 3e6 && found.film == 8e6)
    // All of it takes 9,600 s; the film itself 3,600.
    #expect((5900...6000).contains(found.wait.inSeconds))
  }

  @Test(
    "A link that is fast enough isn't, nor one that is slow beside a film of which enough is here")
  func fast() {
    #expect(
      shortage(bytesPerSecond: 1_100_000, of: 3_600_000_000, duration: .seconds(3600)) == nil)
    #expect(
      shortage(
        bytesPerSecond: 375_000, of: 3_600_000_000, duration: .seconds(3600), from: 3_000_000_000)
        == nil)
    #expect(shortage(bytesPerSecond: 10, of: 100, duration: .seconds(1), from: 100) == nil)
  }
}
