import Testing
import Timekeeping

@testable import Screening

@Suite("Which positions are remembered")
struct WatchHistoryTests {
  private static func at(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: 1_000_000_000) + .seconds(seconds)
  }

  private static func place(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

  @Test("A position is due at once, and then again after ten seconds")
  func interval() {
    var history = WatchHistory()
    #expect(history.isDue(at: Self.at(0)))
    _ = history.note("a", reported: Self.place(1), commanded: nil, at: Self.at(0))
    #expect(!history.isDue(at: Self.at(9.9)))
    #expect(history.isDue(at: Self.at(10)))
  }

  @Test("A paused player that is still seeking counts as where it was sent")
  func commanded() {
    var history = WatchHistory()
    let note = history.note(
      "a", reported: Self.place(1), commanded: Self.place(60), at: Self.at(0))
    #expect(note == .init(position: Self.place(60), isNewFilm: true, keepsLaterPosition: true))
  }

  @Test("The same position isn't written twice, and another film is noticed")
  func repetition() {
    var history = WatchHistory()
    _ = history.note("a", reported: Self.place(5), commanded: nil, at: Self.at(0))
    #expect(history.note("a", reported: Self.place(5), commanded: nil, at: Self.at(10)) == nil)
    let on = history.note("a", reported: Self.place(6), commanded: nil, at: Self.at(20))
    #expect(on == .init(position: Self.place(6), isNewFilm: false, keepsLaterPosition: true))
    let other = history.note("b", reported: Self.place(6), commanded: nil, at: Self.at(30))
    #expect(other?.isNewFilm == true)
  }

  @Test("Without a position nothing is remembered, and the next attempt comes at once")
  func unknown() {
    var history = WatchHistory()
    #expect(history.note("a", reported: nil, commanded: nil, at: Self.at(0)) == nil)
    #expect(history.isDue(at: Self.at(1)))
  }

  @Test("Errors of the player are kept while a stream opens, and shortly after it failed")
  func streamLog() {
    var log = StreamLog()
    log.keep("early", isOpening: false, at: Self.at(0))
    #expect(log.lines.isEmpty)
    for number in 0..<30 { log.keep("\(number)", isOpening: true, at: Self.at(1)) }
    #expect(log.lines.count == StreamLog.limit && log.lines.last == "29")
    log.failed(at: Self.at(2))
    log.keep("late", isOpening: false, at: Self.at(3.9))
    log.keep("too late", isOpening: false, at: Self.at(4))
    #expect(log.lines.last == "late")
    log.begin()
    #expect(log.lines.isEmpty)
  }

  @Test("A film keeps a later position until it has played for a minute, pauses not counted")
  func shortRun() {
    var history = WatchHistory()
    func note(_ place: Double, at seconds: Double) -> Bool? {
      history.note("a", reported: Self.place(place), commanded: nil, at: Self.at(seconds))?
        .keepsLaterPosition
    }
    for time in stride(from: 0.0, through: 50, by: 10) { #expect(note(time, at: time) == true) }
    for time in stride(from: 60.0, through: 300, by: 10) { #expect(note(50, at: time) == nil) }
    #expect(note(60, at: 310) == false)
    let other = history.note("b", reported: Self.place(1), commanded: nil, at: Self.at(320))
    #expect(other?.keepsLaterPosition == true)
  }
}
