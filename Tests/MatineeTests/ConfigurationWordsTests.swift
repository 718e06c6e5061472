import Testing

@testable import MPVPlayer
@testable import MatineeKit

@Suite("The message about the mpv configuration")
struct ConfigurationWordsTests {
  @Test("The report is one line, with the first problem and the number of them")
  func summary() {
    var report = ConfigurationReport()
    #expect(report.summary == nil)
    report.logged("Error parsing option a (option not found)\n", .error, prefix: "cplayer")
    report.logged("/h/mpv.conf:3: setting option a='1' failed.\n", .error, prefix: "cplayer")
    report.logged("Lua error: boom\n", .fatal, prefix: "own")
    report.logged("Setting option 'speed' = '2' (flags = 4)\n", .other, prefix: "cplayer")
    #expect(
      report.summary == "mpv configuration: 2 problems, first mpv.conf:3: a=1 (option not found); "
        + "no effect: speed. Details: matinee doctor")
  }
}
