import Testing

@testable import Screening

@Suite("The trailers before the film")
struct TrailersTests {
  /// Trailers of which the first is on the screen.
  private static func showing(_ locations: String...) -> Trailers {
    var trailers = Trailers(locations)
    _ = trailers.take(.filmBegan)
    _ = trailers.take(.separated)
    _ = trailers.take(.opened)
    return trailers
  }

  @Test("They are shown one after another, apart from the group, before the first film only")
  func course() {
    var trailers = Trailers(["a", "b"])
    let began = trailers.take(.filmBegan)
    #expect(began == [.separate])
    let separated = trailers.take(.separated)
    #expect(separated == [.openPlayer])
    #expect(!trailers.isShown)
    let opened = trailers.take(.opened)
    #expect(opened == [.play("a")])
    #expect(trailers.isShown)
    let second = trailers.take(.trailerEnded)
    #expect(second == [.play("b")])
    let last = trailers.take(.trailerEnded)
    #expect(last == [.closePlayer])
    #expect(trailers.isShown, "until the player is closed")
    let closed = trailers.take(.closed)
    #expect(closed == [.showFilm, .rejoin])
    #expect(!trailers.isShown)
    let next = trailers.take(.filmBegan)
    #expect(next == [])
  }

  @Test("Without trailers the film begins at once")
  func none() {
    var trailers = Trailers([])
    let began = trailers.take(.filmBegan)
    #expect(began == [])
  }

  @Test("A film that begins while trailers are shown doesn't show them again")
  func another() {
    var trailers = Self.showing("a", "b")
    let began = trailers.take(.filmBegan)
    #expect(began == [])
    #expect(trailers.state == .showing)
  }

  @Test("A trailer that can't be played is reported, and the trailers after it are skipped")
  func failure() {
    var trailers = Self.showing("a", "b")
    let failed = trailers.take(.failed("no such file"))
    #expect(failed == [.warn("The trailer can't be played: no such file"), .closePlayer])
    let gone = trailers.take(.playerGone)
    #expect(gone == [], "it is being closed")
    let closed = trailers.take(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }

  @Test("Without a player for the trailers, the participant returns to the group")
  func noPlayer() {
    var trailers = Trailers(["a"])
    _ = trailers.take(.filmBegan)
    _ = trailers.take(.separated)
    let failed = trailers.take(.failed("no memory"))
    #expect(failed == [.warn("The trailer can't be played: no memory"), .rejoin])
    #expect(trailers.state == .over)
  }

  @Test("A user who skips the trailers gets no report of the one that was loading")
  func skipping() {
    var trailers = Self.showing("a", "b")
    let stopped = trailers.take(.stopped)
    #expect(stopped == [.closePlayer])
    let failed = trailers.take(.failed("the player was closed"))
    #expect(failed == [])
    let ended = trailers.take(.trailerEnded)
    #expect(ended == [])
    let again = trailers.take(.stopped)
    #expect(again == [])
    let closed = trailers.take(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }

  @Test("Trailers that are skipped before their player opens are never shown")
  func skippingEarly() {
    var trailers = Trailers(["a"])
    _ = trailers.take(.filmBegan)
    let stopped = trailers.take(.stopped)
    #expect(stopped == [])
    let separated = trailers.take(.separated)
    #expect(separated == [.rejoin])
    let next = trailers.take(.filmBegan)
    #expect(next == [])
  }

  @Test("A return to the group before the first film skips no trailers")
  func stoppingAhead() {
    var trailers = Trailers(["a"])
    let stopped = trailers.take(.stopped)
    #expect(stopped == [])
    let began = trailers.take(.filmBegan)
    #expect(began == [.separate])
  }

  @Test("A trailers' player that the user quits skips the rest")
  func quitting() {
    var trailers = Self.showing("a", "b")
    let gone = trailers.take(.playerGone)
    #expect(gone == [.closePlayer])
    let closed = trailers.take(.closed)
    #expect(closed == [.showFilm, .rejoin])
  }
}
