import AVFormat
import Testing
import Timekeeping

@testable import matinee

@Suite("The answers of servers")
struct StreamRulesTests {
  private func allowing(_ locations: String...) -> URLPolicy {
    var policy = URLPolicy()
    for location in locations { policy.allow(originOf: location) }
    return policy
  }

  private func moved(to target: String) -> HTTPProbe.Answer {
    .status(302, location: target, type: nil)
  }

  @Test("A redirect is followed among hosts that the user has accepted; other hosts need consent")
  func walk() {
    let policy = allowing("http://a.example/", "http://b.example/")
    var walk = RedirectWalk("http://a.example/film")
    #expect(walk.begin(policy) == .look(at: "http://a.example/film"))
    #expect(
      walk.answered(moved(to: "https://b.example/x"), policy) == .look(at: "https://b.example/x"))
    #expect(
      walk.answered(moved(to: "http://192.168.1.1/reboot"), policy)
        == .ask(
          Origin(of: "http://192.168.1.1/")!, location: "http://192.168.1.1/reboot"))
    var straight = RedirectWalk("http://a.example/film")
    _ = straight.begin(policy)
    #expect(
      straight.answered(.status(206, location: nil, type: "video/mp4"), policy)
        == .open("http://a.example/film"))
    // Whatever else is wrong there the player finds, and tells.
    #expect(straight.answered(.refused, policy) == .open("http://a.example/film"))
    #expect(straight.answered(nil, policy) == .open("http://a.example/film"))
  }

  @Test(
    "A redirect to another scheme is refused",
    arguments: [
      "file:///etc/passwd", "ftp://a.example/x", "edl://x", "//", "http://a.example\\@evil/",
    ])
  func schemes(target: String) {
    let policy = allowing("http://a.example/")
    var walk = RedirectWalk("http://a.example/film")
    _ = walk.begin(policy)
    guard case .refuse = walk.answered(moved(to: target), policy) else {
      Issue.record("\(target) isn't refused")
      return
    }
  }

  @Test("A circle of redirects ends")
  func circle() {
    let policy = allowing("http://a.example/")
    var walk = RedirectWalk("http://a.example/film")
    var steps = 0
    var step = walk.begin(policy)
    while case .look(let location) = step, steps < 100 {
      step = walk.answered(moved(to: location), policy)
      steps += 1
    }
    #expect(steps == 9)
    #expect(
      step == .refuse("The party's address for this film redirects without end."))
  }

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

  @Test("yt-dlp's reason is reported without its requests to its users")
  func reasons() {
    let log = [
      "Failed to recognize file format.",
      "ERROR: [youtube] x: Private video. Sign in if you've been granted access; "
        + "please report this issue on https://example.org , filling out the template",
      "youtube-dl failed: unexpected error occurred",
    ]
    let diagnosis = StreamDiagnosis(
      host: "h", answer: .status(200, location: nil, type: "text/html"), log: log)
    #expect(
      diagnosis.text
        == "yt-dlp found no film on this page of h: [youtube] x: Private video. Sign in if "
        + "you've been granted access")
    let missing = StreamDiagnosis(
      host: "h", answer: .status(200, location: nil, type: "text/html"),
      log: ["youtube-dl not found or not enough permissions."])
    #expect(missing.text.contains("Install yt-dlp"))
    let hostile = StreamDiagnosis(
      host: "h", answer: .status(200, location: nil, type: "video/mp4"), log: ["bad \u{1B}[31m"])
    #expect(!hostile.text.contains("\u{1B}"))
  }
}
