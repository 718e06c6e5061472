import Testing
import WatchTogether

@testable import GroupActivities
@testable import Screening

@Suite("Consent to the servers of films")
struct ConsentTests {
  private static let ana = Participant.ID(high: 1, low: 1)
  private static let ben = Participant.ID(high: 1, low: 2)
  private static let location = "https://films.example/a.mkv"

  private static func entry(_ location: String? = location) -> PlaylistEntry {
    PlaylistEntry(id: 1, identifier: "a", title: "a", location: location)
  }

  private static func start(
    by chooser: Participant.ID? = ana, isOwnFilm: Bool = true, precedesJoining: Bool = true
  ) -> SessionStart {
    var dice = RandomSource.seeded(1)
    return SessionStart(
      list: Playlist(entry(), at: nil, using: &dice), chooser: chooser, isOwnFilm: isOwnFilm,
      precedesJoining: precedesJoining)
  }

  @Test("Joining consents only to a film that a host named and chose before, for whoever has none")
  func joining() throws {
    let rules = PartyRules(creator: Self.ana)
    var consent = Consent()
    #expect(consent.arrival(at: Self.start(), rules)?.host == "films.example")
    #expect(consent.arrival(at: Self.start(by: Self.ben), rules) == nil)
    #expect(consent.arrival(at: Self.start(by: nil), rules) == nil)
    #expect(consent.arrival(at: Self.start(isOwnFilm: false), rules) == nil)
    #expect(consent.arrival(at: Self.start(precedesJoining: false), rules) == nil)
    consent.remember([FilmIdentity(identifier: "b", title: "b", location: "/b.mkv")])
    #expect(consent.arrival(at: Self.start(), rules) == nil)
  }

  @Test(
    "Joining consents to no address in the user's own network, none that isn't found, and none that the user revokes"
  )
  func networks() throws {
    for network in [HostNetwork.own, .internet, .unknown] {
      for isRevoked in [false, true] {
        var consent = Consent()
        let asked = consent.arrival(at: Self.start(), PartyRules(creator: Self.ana))
        let origin = try #require(asked)
        if isRevoked { consent.distrust("films.example") }
        consent.arrive(at: origin, in: network)
        let isOpen = consent.policy.verdict(on: Self.location) == .open
        #expect(isOpen == (network == .internet && !isRevoked), "\(network)")
      }
    }
  }

  @Test("A stream is read only at a server that the user agreed to, or named for a file")
  func readableStreams() throws {
    var consent = Consent()
    #expect(consent.readableStreams(for: Self.entry()) == [])
    let named = FilmIdentity(
      identifier: FilmIdentifier.ofStream(Self.location), title: "a", location: Self.location)
    consent.remember([FilmIdentity(identifier: "b", title: "b", location: "/b.mkv"), named])
    #expect(consent.readableStreams(for: Self.entry(nil)) == [named])
    let streams = consent.readableStreams(for: Self.entry())
    #expect(streams.map(\.location) == [Self.location] && streams[0].isForeign)
    consent.distrust("films.example")
    #expect(consent.readableStreams(for: Self.entry()) == [])
    // One that takes the place of a file is read no more.
    var copy = named
    copy.identifier = "a"
    var other = Consent()
    other.remember([copy])
    #expect(other.readableStreams(for: Self.entry(nil)) == [])
  }

  @Test("A film without a copy is opened at its address, asked about, or missing")
  func ways() throws {
    var consent = Consent()
    let origin = try #require(FilmOrigin(of: Self.location))
    #expect(
      consent.way(to: Self.entry(), by: .user, isFresh: false)
        == .ask(OriginRefusal(origin: origin, location: Self.location)))
    guard case .refused = consent.way(to: Self.entry("file:///etc"), by: .user, isFresh: false)
    else { throw NothingToDo.noQuestion }
    guard case .missing(let text) = consent.way(to: Self.entry(nil), by: .user, isFresh: false)
    else { throw NothingToDo.noQuestion }
    #expect(!text.contains("another film") && text.contains("opens by itself"))
    _ = consent.describe(
      OriginRefusal(origin: origin, location: Self.location), in: .internet, film: "a")
    #expect(consent.agree(forGood: false) == nil)
    guard case .film(let film, _) = consent.way(to: Self.entry(), by: .user, isFresh: false) else {
      throw NothingToDo.noQuestion
    }
    #expect(film.isForeign && film.location == Self.location)
    consent.distrust("films.example")
    #expect(consent.policy.verdict(on: Self.location) == .ask(origin))
    consent.remember([FilmIdentity(identifier: "b", title: "b", location: "/b.mkv")])
    guard case .missing(let other) = consent.way(to: Self.entry(nil), by: .user, isFresh: true)
    else { throw NothingToDo.noQuestion }
    #expect(other.contains("another film, or isn't complete yet"))
  }

  @Test("A server is trusted for good if the user says so, but never a playlist")
  func forGood() throws {
    for (origin, isTrusted) in [
      (try #require(FilmOrigin(of: Self.location)), true), (FilmOrigin(list: "/a.m3u"), false),
    ] {
      var consent = Consent()
      _ = consent.describe(
        OriginRefusal(origin: origin, location: "x"), in: .internet, film: "a")
      #expect((consent.agree(forGood: true) == origin) == isTrusted)
      #expect(consent.policy.allowed.contains(origin))
    }
  }

  @Test("One film asks eight questions at most, and another film starts from zero")
  func questions() {
    var limit = QuestionLimit()
    let answers = (["a", "a", "a", "a", "a", "a", "a", "a", "a", "b"]).map {
      limit.mayAsk(about: $0)
    }
    #expect(answers == Array(repeating: true, count: 8) + [false, true])
  }
}
