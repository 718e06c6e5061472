import Testing
import Timekeeping

@testable import Screening

@Suite("A server that is too slow")
struct StallMeterTests {
  @Test("Repeated waiting is reported once, and an occasional stumble isn't")
  func waiting() {
    func told(_ isWaiting: (Int) -> Bool) -> [Int] {
      var meter = StallMeter()
      return (0..<600).filter { step in
        meter.note(isWaiting: isWaiting(step), at: HostTime(nanoseconds: Int64(step) * 250_000_000))
      }
    }
    #expect(told { _ in true } == [32])
    #expect(told { $0 % 16 < 12 }.count == 1, "three seconds of four")
    #expect(told { $0 % 40 < 4 }.isEmpty, "one second of ten")
    var slept = StallMeter()
    let times: [Int64] = [0, 3_600_000_000_000]
    let afterwards = times.map { slept.note(isWaiting: true, at: HostTime(nanoseconds: $0)) }
    #expect(afterwards == [false, false])
  }
}
