import Testing

@testable import Faces

@Suite("The settings' problems on the screen")
struct SettingsSummaryTests {
  @Test("One problem is reported in full, several are counted by file")
  func notice() {
    #expect(SettingsSummary([]).notice(key: "?") == nil)
    #expect(SettingsSummary(["keys.conf, line 2: no"]).notice(key: "?") == "keys.conf, line 2: no")
    let many = SettingsSummary([
      "matinee.conf, line 1: a", "keys.conf, line 2: b", "keys.conf, line 9: c",
    ])
    #expect(
      many.notice(key: "?")
        == "matinee.conf: 1 problem, keys.conf: 2 problems. Press ? for the list.")
    #expect(many.notice(key: "") == "matinee.conf: 1 problem, keys.conf: 2 problems.")
  }
}
