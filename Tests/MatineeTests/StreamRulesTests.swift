import FilmProxy
import Testing
import Timekeeping

@testable import Faces
@testable import MatineeKit

@Suite("The answers of servers")
struct StreamRulesTests {
  private func moved(to target: String) -> HTTPProbe.Answer {
    .status(302, location: target, type: nil)
  }

  @Test("Redirects are followed to the last answer, or to a target that isn't followed")
  func redirects() async {
    let answers: [String: HTTPProbe.Answer] = [
      "http://a.example/film": moved(to: "https://b.example/x"),
      "https://b.example/x": moved(to: "ftp://b.example/x"),
      "http://c.example/film": .status(206, location: nil, type: "video/mp4"),
    ]
    func end(of location: String) async -> (location: String, answer: HTTPProbe.Answer?) {
      await FilmAdapter.follow(location, while: { $0.hasPrefix("http") }) { answers[$0] }
    }
    let other = await end(of: "http://a.example/film")
    #expect(other.location == "https://b.example/x")
    #expect(other.answer == answers["https://b.example/x"])
    let straight = await end(of: "http://c.example/film")
    #expect(straight.location == "http://c.example/film")
    #expect(straight.answer == answers["http://c.example/film"])
    // Whatever else is wrong there the player finds, and tells.
    #expect(await end(of: "http://d.example/").answer == nil)
  }

  @Test("A circle of redirects ends")
  func circle() async {
    let end = await FilmAdapter.follow("http://a.example/", while: { _ in true }) {
      moved(to: $0 + "x")
    }
    #expect(end.location == "http://a.example/xxxxxxxx")
    #expect(end.answer == moved(to: "http://a.example/xxxxxxxxx"))
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
    let options = StreamDiagnosis(
      host: "h", answer: nil,
      log: ["ERROR: [generic] None: 'abc' is not a valid URL. Set --default-search \"ytsearch\""])
    #expect(
      options.text == "yt-dlp can't load the film from h: [generic] None: 'abc' is not a valid URL")
    let missing = StreamDiagnosis(
      host: "h", answer: .status(200, location: nil, type: "text/html"),
      log: ["youtube-dl not found or not enough permissions."])
    #expect(missing.text.contains("Install yt-dlp"))
    let hostile = StreamDiagnosis(
      host: "h", answer: .status(200, location: nil, type: "video/mp4"), log: ["bad \u{1B}[31m"])
    #expect(!hostile.text.contains("\u{1B}"))
  }
}
