import Concurrency
import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The film in the player, and the request for the next one")
struct FilmLoadingTests {
  private func request(_ location: String = "a.mkv", reach: FilmReach = .nothing) -> PendingLoad {
    PendingLoad(
      location: location, title: nil, identifier: location, start: .zero, liveStart: nil,
      reach: reach,
      angles: [])
  }

  private func end(
    _ entryID: Int64, _ reason: MPVEvent.EndOfFile.Reason, inserted: Int64 = 0, count: Int = 0
  ) -> MPVEvent.EndOfFile {
    MPVEvent.EndOfFile(
      entryID: entryID, reason: reason, code: 0, insertedEntryID: inserted, insertedCount: count)
  }

  /// A player whose request became this entry.
  private func loading(_ request: PendingLoad, entryID: Int64) -> FilmLoading {
    var film = FilmLoading()
    _ = film.requested(request)
    film.sent(request)
    _ = film.answered(request, entryID: entryID, isRefused: false)
    return film
  }

  private func playing(_ request: PendingLoad, entryID: Int64) -> FilmLoading {
    var film = loading(request, entryID: entryID)
    _ = film.fileStarted(entryID)
    _ = film.fileLoaded()
    return film
  }

  @Test("A request is carried out by the file with its number")
  func carriedOut() {
    let wanted = request()
    var film = loading(wanted, entryID: 1)
    #expect(film.fileStarted(1) == .own)
    #expect(film.item.isOwn && !film.item.isLoaded)
    #expect(film.fileLoaded()?.outcome === wanted.outcome)
    #expect(film.request == nil && film.item.isLoaded)
    let again = film.fileLoaded()
    #expect(again == nil)
  }

  @Test("The answer to a replaced request is stale, and its entry isn't the user's choice")
  func replaced() {
    let (first, second) = (request("a"), request("b"))
    var film = FilmLoading()
    let none = film.requested(first)
    #expect(none == nil)
    film.sent(first)
    let old = film.requested(second)
    #expect(old?.outcome === first.outcome)
    let isFailure = film.answered(first, entryID: 1, isRefused: true)
    #expect(!isFailure, "nothing waits for it any more")
    #expect(film.request?.outcome === second.outcome)
    #expect(film.fileStarted(1) == .unwanted(mustStop: false))
    #expect(film.fileStarted(9) == .foreign)
  }

  @Test("A request that was sent already is unwanted once another one replaces it")
  func replacedWhileOpening() {
    let (first, second) = (request("a"), request("b"))
    var film = loading(first, entryID: 1)
    _ = film.requested(second)
    #expect(film.fileStarted(1) == .unwanted(mustStop: false))
    let isAbandoned = film.abandoned(first)
    #expect(!isAbandoned)
    let isSecondAbandoned = film.abandoned(second)
    #expect(isSecondAbandoned)
    #expect(film.fileStarted(1) == .unwanted(mustStop: true))
  }

  @Test("A file that mpv opened after its request was abandoned isn't closed by the user")
  func abandonedAndOpened() {
    let wanted = request()
    var film = loading(wanted, entryID: 1)
    _ = film.fileStarted(1)
    let isAbandoned = film.abandoned(wanted)
    #expect(isAbandoned)
    _ = film.fileLoaded()
    guard case .closed(.silent, isCurrent: true) = film.ended(end(1, .stop), lacksWindow: false)
    else { return #expect(Bool(false), "it is reported as the user's") }
  }

  @Test("A refused request is reported once")
  func refused() {
    let wanted = request()
    var film = FilmLoading()
    _ = film.requested(wanted)
    film.sent(wanted)
    let isFailure = film.answered(wanted, entryID: nil, isRefused: true)
    #expect(isFailure && film.request == nil)
    let isAgain = film.answered(wanted, entryID: nil, isRefused: true)
    #expect(!isAgain)
  }

  @Test("The first entry of a playlist carries on the request; a peer's other entries are unwanted")
  func redirected() {
    var film = loading(request(reach: .foreign), entryID: 1)
    guard
      case .redirected = film.ended(
        end(1, .redirect, inserted: 5, count: 3), lacksWindow: false)
    else { return #expect(Bool(false), "a redirection isn't an end") }
    #expect(film.fileStarted(5) == .own)
    _ = film.fileLoaded()
    #expect(film.fileStarted(6) == .unwanted(mustStop: true))
    #expect(film.fileStarted(8) == .foreign)

    film = loading(request(), entryID: 1)
    _ = film.ended(end(1, .redirect, inserted: 5, count: 3), lacksWindow: false)
    #expect(film.fileStarted(6) == .foreign, "the user's own playlist goes on")
  }

  @Test(
    "The next entry of mpv's own list after a film that ran out or broke off is nobody's choice")
  func movedOn() {
    for reason in [MPVEvent.EndOfFile.Reason.error, .eof] {
      var film = playing(request(), entryID: 1)
      _ = film.ended(end(1, reason), lacksWindow: false)
      #expect(film.fileStarted(2) == .unwanted(mustStop: true))
      #expect(film.fileStarted(3) == .foreign, "somebody chose the next one")

      _ = film.ended(end(3, reason), lacksWindow: false)
      film.idle()
      #expect(film.fileStarted(4) == .foreign, "a file for a player that had nothing to play")
    }
    var film = playing(request(), entryID: 1)
    _ = film.ended(end(1, .stop), lacksWindow: false)
    #expect(film.fileStarted(2) == .foreign, "a key that goes to the next entry")
  }

  @Test("A file that ends before it was opened fails its request")
  func failed() {
    let wanted = request()
    var film = loading(wanted, entryID: 1)
    _ = film.fileStarted(1)
    guard
      case .closed(.request(let failed), isCurrent: true) = film.ended(
        end(1, .error), lacksWindow: false)
    else { return #expect(Bool(false), "the request has failed") }
    #expect(failed.outcome === wanted.outcome)
    #expect(film.request == nil && film.item.entryID == nil)
  }

  @Test(
    "The end of an open film is an interruption, a stop, or part of the next load",
    arguments: [
      (MPVEvent.EndOfFile.Reason.error, false, "playback"), (.stop, false, "stop"),
      (.eof, false, "stop"), (.other, false, "stop"), (.quit, false, "silent"),
      (.error, true, "playback"), (.stop, true, "silent"),
    ])
  func ended(reason: MPVEvent.EndOfFile.Reason, isReplaced: Bool, expected: String) {
    var film = playing(request("a"), entryID: 1)
    if isReplaced { film.sent(request("b")) }
    guard case .closed(let loss, let isCurrent) = film.ended(end(1, reason), lacksWindow: false)
    else { return #expect(Bool(false), "the film is gone") }
    #expect(isCurrent && "\(loss)" == expected)
  }

  @Test("The end of another file leaves the film alone")
  func other() {
    var film = playing(request(), entryID: 2)
    guard case .closed(.silent, isCurrent: false) = film.ended(end(1, .stop), lacksWindow: false)
    else { return #expect(Bool(false), "nothing happened to the film") }
    #expect(film.item.entryID == 2 && film.item.isLoaded)
  }

  @Test("A film that the program closed ends in silence")
  func stopped() {
    var film = playing(request(), entryID: 1)
    film.stopped()
    guard case .closed(.silent, isCurrent: true) = film.ended(end(1, .stop), lacksWindow: false)
    else { return #expect(Bool(false), "the program knows already") }
  }

  @Test("Without its window a film is requested again, before and after it was opened")
  func withoutWindow() {
    let wanted = request()
    var film = loading(wanted, entryID: 1)
    #expect(film.isOurs(end(1, .error)) && !film.isOurs(end(2, .error)))
    guard case .openAgain(let again) = film.ended(end(1, .error), lacksWindow: true)
    else { return #expect(Bool(false), "it is opened again") }
    #expect(again.outcome === wanted.outcome)
    film = playing(wanted, entryID: 1)
    #expect(film.isOurs(end(1, .eof)))
    guard case .openAgain = film.ended(end(1, .eof), lacksWindow: true)
    else { return #expect(Bool(false), "it is opened again") }
    #expect(film.item.entryID == nil)
  }

  @Test("An end is postponed once")
  func postponed() {
    var film = playing(request(), entryID: 1)
    let reason = film.postponed(end(1, .error))
    #expect(film.isEndPostponed && reason.current == nil)
    film.reasonFound()
    #expect(reason.current != nil)
    #expect(film.takePostponedEnd()?.entryID == 1)
    #expect(film.takePostponedEnd() == nil && !film.isEndPostponed)
  }

  @Test("Of the log, the newest sixteen errors are kept, until the next request")
  func errors() {
    var film = FilmLoading()
    for number in 0..<20 { film.logged("\(number)", isError: true) }
    #expect(film.errors.first == "4" && film.errors.count == 16)
    _ = film.requested(request())
    #expect(film.errors.isEmpty)
  }

  @Test("Fetched data is reported in steps of half a second, and a lost server once")
  func reports() {
    var film = playing(request(), entryID: 1)
    let reported = [10.0, 10.4, 10.5, 10.9, 3].map { film.buffered(until: MediaTime(seconds: $0)) }
    #expect(reported == [true, false, true, false, true])
    let isReportedWithoutEnd = film.buffered(until: nil)
    #expect(!isReportedWithoutEnd)
    let isReportedAgain = film.buffered(until: 3.0)
    #expect(isReportedAgain)
    let losses = [film.lost(), film.lost()]
    #expect(losses == [true, false])
  }

  @Test("A seek that ends late makes the next one begin earlier, by twenty seconds at most")
  func lateSeeks() {
    var film = playing(request(), entryID: 1)
    let frame = Duration.milliseconds(40)
    let onTime = film.seekLanded(at: 10.06, target: 10.0, frameDuration: frame)
    #expect(onTime == nil)
    let late = film.seekLanded(at: 12.0, target: 10.0, frameDuration: frame)
    #expect(late == .seconds(3) && film.item.seekOffset == .seconds(3))
    let veryLate = film.seekLanded(at: 29.0, target: 10.0, frameDuration: frame)
    #expect(veryLate == .seconds(20))
    let hopeless = film.seekLanded(at: 29.0, target: 10.0, frameDuration: frame)
    #expect(hopeless == nil)
  }

  @Test("A seek that ends beyond a gap in the time stamps teaches nothing about the next one")
  func seekIntoGap() {
    var film = playing(request(), entryID: 1)
    let beyond = film.seekLanded(at: 3600.0, target: 1000.0, frameDuration: .milliseconds(40))
    #expect(beyond == nil && film.item.seekOffset == .zero)
  }
}
