import GroupActivities
import Testing
import Timekeeping

@testable import Screening

@Suite("Smaller copies of shared films")
struct ShareQualityTests {
  private static func film(_ megabytes: Int?) -> FilmIdentity {
    var film = FilmIdentity(identifier: "film", title: "Film", location: "/film.mkv")
    film.fileSize = megabytes.map { $0 * 1_000_000 }
    return film
  }

  @Test("A file that needs less than the copy is shared itself")
  func small() {
    var sharing = Sharing()
    _ = sharing.turn(on: true, .p480)
    let hour = MediaTime(seconds: 3600)
    // An hour of 480p has at most 540 MB.
    #expect(sharing.quality(for: Self.film(539), lasting: hour) == nil)
    #expect(sharing.quality(for: Self.film(541), lasting: hour) == .p480)
    #expect(sharing.quality(for: Self.film(nil), lasting: hour) == .p480)
    #expect(sharing.quality(for: Self.film(1), lasting: nil) == .p480)
  }

  @Test("Another quality withdraws what is shared, and only one copy is made at a time")
  func change() {
    var sharing = Sharing()
    func turn(_ isOn: Bool, _ quality: ShareQuality? = nil) -> Bool {
      sharing.turn(on: isOn, quality)
    }
    func give(_ film: FilmIdentity = Self.film(nil)) -> [ShareOrder] {
      sharing.give(film, lasting: nil)
    }
    #expect(!turn(true) && sharing.givesAhead)
    #expect(give() == [.give(Self.film(nil), nil)])
    #expect(!turn(true) && give().isEmpty)
    #expect(turn(true, .p720) && !sharing.givesAhead)
    #expect(give() == [.give(Self.film(nil), .p720)])
    // The copy of the film before is gone: it is made again when the party returns to it.
    let other = FilmIdentity(identifier: "other", title: "Other", location: "/other.mkv")
    #expect(give(other) == [.withdraw, .give(other, .p720)])
    #expect(give() == [.withdraw, .give(Self.film(nil), .p720)])
    #expect(turn(false) && give() == [.give(Self.film(nil), nil)])
  }

  @Test("Parts are made from the last jump on, and none is left out by an encoder that is slow")
  func order() {
    var order = PartOrder(parts: 8, seconds: 10)
    var now = HostTime(nanoseconds: 0)
    func next(at part: Int, after time: Duration) -> Int? {
      now = now + time
      return order.next(at: part, now: now)
    }
    // Each player reads the beginning first.
    #expect(next(at: 2, after: .zero) == 0)
    #expect(next(at: 2, after: .seconds(5)) == 2)
    // The encoder takes twice the film's time.
    #expect(next(at: 4, after: .seconds(20)) == 3)
    #expect(next(at: 6, after: .seconds(20)) == 4)
    // A jump back to what is made, one ahead, and one past the end's last part.
    #expect(next(at: 0, after: .seconds(1)) == 1)
    #expect(next(at: 6, after: .seconds(1)) == 6)
    #expect(next(at: 7, after: .seconds(10)) == 7)
    #expect(next(at: 7, after: .seconds(10)) == 5)
    #expect(next(at: 7, after: .seconds(10)) == nil)
  }

  @Test("Every other part is one that a friend's player asks for, once it isn't made already")
  func askedParts() {
    var order = PartOrder(parts: 9, seconds: 10)
    let now = HostTime(nanoseconds: 0)
    // A player reads the end of the part before the one that it was sent to.
    order.ask(for: 3)
    order.ask(for: 3)
    order.ask(for: 8)
    order.ask(for: 9)
    let parts = (0..<5).map { _ in order.next(at: 4, now: now) }
    #expect(parts == [0, 4, 3, 5, 8])
    order.ask(for: 3)
    #expect(order.next(at: 4, now: now) == 6)
  }

  @Test("A smaller copy isn't taken for the file of its owner")
  func size() {
    let id = Participant.ID(high: 1, low: 1)
    let file = SharedFilm(id: .init(), film: "film", owner: id, size: 7)
    let copy = SharedFilm(id: .init(), film: "film", owner: id, size: 7, quality: .p480)
    #expect(FilmIdentity(file, titled: "Film").fileSize == 7)
    #expect(FilmIdentity(copy, titled: "Film").fileSize == nil)
  }
}
