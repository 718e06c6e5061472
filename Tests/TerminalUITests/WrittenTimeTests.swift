import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Times as text")
struct WrittenTimeTests {
  @Test(
    "Typed times are read",
    arguments: [
      ("12:34", TimeEntry.absolute(MediaTime(seconds: 754))),
      ("754.5", .absolute(MediaTime(seconds: 754.5))),
      ("71.96000000000001", .absolute(MediaTime(seconds: 71.96000000000001))),
      (" 1:02:03.5 ", .absolute(MediaTime(seconds: 3723.5))),
      ("90:00", .absolute(MediaTime(seconds: 5400))),
      ("0", .absolute(.zero)), ("+90", .relative(.seconds(90))),
      ("-1:00", .relative(.seconds(-60))),
      ("\u{2212}10", .relative(.seconds(-10))), ("50%", .fraction(0.5)), ("100 %", .fraction(1)),
    ])
  func reads(text: String, entry: TimeEntry) {
    #expect(TimeEntry(text) == entry)
  }

  @Test(
    "Other text isn't read as a time",
    arguments: [
      "", "x", "1:75", "1:2:3:4", "101%", "%", "1.5:00", "+", "1e9", "٣", "--1", "1:", ":1", "nan",
      "0x10", "1234567890123",
    ])
  func refuses(text: String) {
    #expect(TimeEntry(text) == nil)
  }

  @Test("Clocks show hours if a time is that long")
  func clocks() {
    let hour = MediaTime(seconds: 3600)
    #expect(TimeText.clock(MediaTime(seconds: 761.9), longest: hour) == "0:12:41")
    #expect(TimeText.clock(MediaTime(seconds: 59.999), longest: MediaTime(seconds: 100)) == "0:59")
    #expect(TimeText.clock(MediaTime(seconds: 7322), longest: .zero) == "2:02:02")
    #expect(TimeText.clock(MediaTime(seconds: -2), longest: hour) == "-0:00:02")
    #expect(TimeText.clock(MediaTime(seconds: -0.5), longest: .zero) == "0:00")
    #expect(TimeText.clock(MediaTime(nanoseconds: .min), longest: .zero).width < 20)
  }

  @Test("Rates have at most two decimals")
  func rates() {
    #expect(
      [1, 1.1, 1.21, 0.5, 2, 1.0000001, 0.25].map { TimeText.rate($0).description } == [
        "1", "1.1", "1.21", "0.5", "2", "1", "0.25",
      ])
    #expect(TimeText.rate(.nan) == "?")
    #expect(TimeText.rate(.infinity) == "?")
  }

  @Test("The precision of a difference depends on its size")
  func differences() {
    let symbols = GlyphSet.unicode
    #expect(TimeText.difference(.microseconds(-1100), symbols) == "−1.1 ms")
    #expect(TimeText.difference(.microseconds(400), symbols) == "+0.4 ms")
    #expect(TimeText.difference(.microseconds(20), symbols) == "0.0 ms")
    #expect(TimeText.difference(.microseconds(9960), symbols) == "+10 ms")
    #expect(TimeText.difference(.milliseconds(123), symbols) == "+123 ms")
    #expect(TimeText.difference(.milliseconds(-1234), symbols) == "−1.2 s")
    #expect(TimeText.difference(.seconds(400), symbols) == "+400 s")
    #expect(TimeText.uncertainty(.microseconds(400), symbols) == "±0.4 ms")
    #expect(TimeText.difference(.nanoseconds(Int64.min), symbols) == "far off")
    #expect(TimeText.uncertainty(.microseconds(410), symbols) == "±0.5 ms")
    #expect(TimeText.uncertainty(.zero, symbols) == "±0.0 ms")
    #expect(TimeText.amount(.microseconds(1234)) == "1.2 ms")
    #expect(TimeText.percent(0.05, symbols) == "+0.05 %")
    #expect(TimeText.percent(-3, symbols) == "−3.00 %")
    #expect(TimeText.percent(0.001, symbols) == "0.00 %")
    #expect(TimeText.percent(.nan, symbols) == "?")
  }

  @Test("A difference and its bound share a unit if possible")
  func measurements() {
    func forms(_ error: Duration, _ bound: Duration?) -> [String] {
      TimeText.measurement(error, bound, .unicode).map(\.description)
    }
    #expect(
      forms(.microseconds(-1100), .microseconds(300)) == [
        "−1.1 ±0.3 ms", "−1.1±0.3 ms", "−1.1 ms",
      ])
    #expect(
      forms(.milliseconds(1200), .microseconds(300)) == [
        "+1.2 s ±0.3 ms", "+1.2 s±0.3 ms", "+1.2 s",
      ])
    #expect(forms(.zero, .microseconds(300))[0] == "0.0 ±0.3 ms")
    #expect(forms(.microseconds(400), nil) == ["+0.4 ms"])
    #expect(forms(.seconds(5000), .seconds(5000))[0] == "far off ±far off")
  }
}
