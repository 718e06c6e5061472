import Testing

@testable import Screening

@Suite("The trailers before the film")
struct TrailersTests {
  /// Trailers of which the first is on the screen.
  private static func showing(_ locations: String...) -> Trailers {
    var trailers = Trailers(locations)
    _ = trailers.handle(.filmBegan)
    _ = trailers.handle(.separated)
    _ = trailers.handle(.opened)
    return trailers
  }

  @Test("They are shown one after another, apart from the group, before the first film only")
  func course() {
    var trailers = Trailers(["a", "b"])
    let began = trailers.handle(.filmBegan)
    #expect(began == [.separate])
    let separated = trailers.handle(.separated)
    #expect(separated == [.openPlayer])
    #expect(!trailers.isShown)
    let opened = trailers.handle(.opened)
    #expect(opened == [.play("a")])
    #expect(trailers.isShown)
    let second = trailers.handle(.trailerEnded)
    #expect(second == [.play("b")])
    let last = trailers.handle(.trailerEnded)
    #expect(last == [.closePlayer])
    #expect(trailers.isShown, "until the player is closed")
    let closed = trailers.handle(.closed)
    #expect(closed == [.showFilm, .rejoin])
    #expect(!trailers.isShown)
    let next = trailers.handle(.filmBegan)
    #expect(next == [])
  }

  @Test("Without trailers the film begins at once")
  func none() {
    var trailers = Trailers([])
    let began = trailers.handle(.filmBegan)
    #expect(began == [])
  }

  @Test("A film that begins while trailers are shown doesn't show them again")
  func another() {
    var trailers = Self.showing("a", "b")
    let began = trailers.handle(.filmBegan)
    #expect(began == [])
    #expect(trailers.state == .showing)
  }

  @Test("A trailer that can't be played is reported, and the trailers after it are skipped")
  func failure() {
    var trailers = Self.showing("a", "b")
    let failed = trailers.handle(.failed("no such file"))
    #expect(failed == [.warn("The trailer can't be played: no such file"), .closePlayer])
    let gone = trailers.handle(.playerGone)
    #expect(gone == [], "it is being closed")
    let closed = trailers.handle(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }

  @Test("Without a player for the trailers, the participant returns to the group")
  func noPlayer() {
    var trailers = Trailers(["a"])
    _ = trailers.handle(.filmBegan)
    _ = trailers.handle(.separated)
    let failed = trailers.handle(.failed("no memory"))
    #expect(failed == [.warn("The trailer can't be played: no memory"), .rejoin])
    #expect(trailers.state == .over)
  }

  @Test("A user who skips the trailers gets no report of the one that was loading")
  func skipping() {
    var trailers = Self.showing("a", "b")
    let stopped = trailers.handle(.stopped)
    #expect(stopped == [.closePlayer])
    let failed = trailers.handle(.failed("the player was closed"))
    #expect(failed == [])
    let ended = trailers.handle(.trailerEnded)
    #expect(ended == [])
    let again = trailers.handle(.stopped)
    #expect(again == [])
    let closed = trailers.handle(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }

  @Test("Trailers that are skipped before their player opens are never shown")
  func skippingEarly() {
    var trailers = Trailers(["a"])
    _ = trailers.handle(.filmBegan)
    let stopped = trailers.handle(.stopped)
    #expect(stopped == [])
    let separated = trailers.handle(.separated)
    #expect(separated == [.rejoin])
    let next = trailers.handle(.filmBegan)
    #expect(next == [])
  }

  @Test("A return to the group before the first film skips no trailers")
  func stoppingAhead() {
    var trailers = Trailers(["a"])
    let stopped = trailers.handle(.stopped)
    #expect(stopped == [])
    let began = trailers.handle(.filmBegan)
    #expect(began == [.separate])
  }

  @Test("A trailers' player that the user quits skips the rest")
  func quitting() {
    var trailers = Self.showing("a", "b")
    let gone = trailers.handle(.playerGone)
    #expect(gone == [.closePlayer])
    let closed = trailers.handle(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }
}
