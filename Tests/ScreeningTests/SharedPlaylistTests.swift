import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

/// The session keeps the newest of all lists that are set, as ``GroupSession`` does.
@Suite("The playlist of a session that keeps one list at a time")
struct SharedPlaylistTests {
  private static let now = HostTime(nanoseconds: 1_000_000_000)
  private static let groupTime = GroupTime(nanoseconds: 0)

  private static func film(_ name: String, _ dice: inout RandomSource) -> PlaylistEntry {
    PlaylistEntry(
      id: .random(in: .min ... .max, using: &dice), identifier: name, title: name, location: nil)
  }

  private static func added(_ title: String, to list: Playlist, _ dice: inout RandomSource)
    -> Playlist
  {
    var list = list
    #expect(list.append(film(title, &dice), at: nil, using: &dice))
    return list
  }

  @Test("A participant whose edit is missing from a newer list sets the merged list at once")
  func restoresOwn() {
    var dice = RandomSource.seeded(1)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var ana = SharedPlaylist(common)
    ana.edited(Self.added("ana", to: common, &dice))
    let bens = Self.added("ben", to: common, &dice)
    let action = ana.sessionChanged(
      to: bens, groupTime: Self.groupTime, mayEdit: true, now: Self.now)
    #expect(action == .set(ana.playlist))
    #expect(Set(ana.playlist.entries.map(\.title)) == ["a", "ana", "ben"])
  }

  @Test("Another participant's edit is left to its author for two seconds")
  func restoresOthers() throws {
    var dice = RandomSource.seeded(2)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var chi = SharedPlaylist(common)
    let (anas, bens) = (
      Self.added("ana", to: common, &dice), Self.added("ben", to: common, &dice)
    )
    for list in [anas, bens] {
      #expect(
        chi.sessionChanged(to: list, groupTime: Self.groupTime, mayEdit: true, now: Self.now)
          == .none)
    }
    let deadline = try #require(chi.deadline)
    #expect(deadline == Self.now + .seconds(2))
    #expect(chi.deadlinePassed(mayEdit: true, now: Self.now) == .none)
    // The author has left.
    #expect(chi.deadlinePassed(mayEdit: true, now: deadline) == .set(anas.merged(with: bens)))
    #expect(chi.deadline == nil)
  }

  @Test("Once the author has restored an edit, nobody else does")
  func authorRestores() {
    var dice = RandomSource.seeded(3)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var chi = SharedPlaylist(common)
    let (anas, bens) = (
      Self.added("ana", to: common, &dice), Self.added("ben", to: common, &dice)
    )
    for list in [anas, bens, anas.merged(with: bens)] {
      _ = chi.sessionChanged(to: list, groupTime: Self.groupTime, mayEdit: true, now: Self.now)
    }
    #expect(chi.deadline == nil)
  }

  @Test(
    "A participant who may not edit the list restores nothing, and gives up an edit that nobody restores",
    arguments: [false, true])
  func guest(isRestored: Bool) throws {
    var dice = RandomSource.seeded(4)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var guest = SharedPlaylist(common)
    let (bens, anas) = (
      Self.added("ben", to: common, &dice), Self.added("ana", to: common, &dice)
    )
    func receive(_ list: Playlist) {
      let action = guest.sessionChanged(
        to: list, groupTime: Self.groupTime, mayEdit: false, now: Self.now)
      #expect(action == .none)
    }
    receive(bens)
    #expect(guest.deadline == nil)
    receive(anas)
    let both = anas.merged(with: bens)
    #expect(guest.playlist == both)
    // Editors restore the edit after two seconds.
    let deadline = try #require(guest.deadline)
    #expect(deadline == Self.now + .seconds(4))
    if isRestored {
      receive(both)
      #expect(guest.deadline == nil)
    } else {
      #expect(guest.deadlinePassed(mayEdit: false, now: deadline) == .giveUp(anas))
      #expect(guest.playlist == anas && guest.deadline == nil)
    }
  }

  @Test("An edit that was seen before the permission for it ended is given up")
  func permissionEnds() throws {
    var dice = RandomSource.seeded(7)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var chi = SharedPlaylist(common)
    let bens = Self.added("ben", to: common, &dice)
    for list in [bens, common] {
      _ = chi.sessionChanged(to: list, groupTime: Self.groupTime, mayEdit: true, now: Self.now)
    }
    let deadline = try #require(chi.deadline)
    #expect(chi.deadlinePassed(mayEdit: false, now: deadline) == .giveUp(common))
    #expect(chi.playlist == common)
  }

  @Test("A list with an edit more than ten seconds in the future is refused")
  func future() {
    var dice = RandomSource.seeded(5)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var ana = SharedPlaylist(common)
    var hostile = common
    let far = GroupTime(nanoseconds: 11_000_000_000)
    #expect(hostile.append(Self.film("x", &dice), at: far, using: &dice))
    let action = ana.sessionChanged(
      to: hostile, groupTime: Self.groupTime, mayEdit: true, now: Self.now)
    #expect(action == .refuse)
    #expect(ana.playlist == common)
  }

  @Test("An edit that the party refuses is taken back, and what others set meanwhile stays")
  func refusedEdit() {
    var dice = RandomSource.seeded(6)
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var ana = SharedPlaylist(common)
    let before = ana
    ana.edited(Self.added("ana", to: common, &dice))
    let bens = Self.added("ben", to: common, &dice)
    _ = ana.sessionChanged(to: bens, groupTime: Self.groupTime, mayEdit: false, now: Self.now)
    ana.editFailed(since: before)
    #expect(ana.playlist == bens)
  }

  @Test(
    "Five participants who edit at once, with delays, end with one list that has every edit for which there is room",
    arguments: [UInt64](0..<100), [false, true])
  func convergence(seed: UInt64, isLong: Bool) {
    var dice = RandomSource.seeded(seed)
    func film(_ title: String) -> PlaylistEntry {
      var film = Self.film(title, &dice)
      // Two to forty of them fill a list.
      if isLong {
        film.location = String(repeating: "x", count: .random(in: 300...4000, using: &dice))
      }
      return film
    }
    let common = Playlist(Self.film("a", &dice), at: nil, using: &dice)
    var peers = [SharedPlaylist](repeating: SharedPlaylist(common), count: 5)
    /// The newest list that each participant knows, by the session's stamp.
    var known = [Int](repeating: 0, count: 5)
    var lists = [common]
    /// The lists on their way, as indices of `lists`.
    var mail = [[Int]](repeating: [], count: 5)
    func set(_ list: Playlist, by who: Int) {
      lists.append(list)
      known[who] = lists.count - 1
      for other in 0..<5 where other != who { mail[other].append(lists.count - 1) }
    }
    func receive(_ who: Int) {
      guard !mail[who].isEmpty else { return }
      let stamp = mail[who].removeFirst()
      guard stamp > known[who] else { return }
      known[who] = stamp
      let action = peers[who].sessionChanged(
        to: lists[stamp], groupTime: Self.groupTime, mayEdit: true, now: Self.now)
      if case .set(let list) = action { set(list, by: who) }
    }
    var titles: Set = ["a"]
    for turn in 0..<30 {
      let who = Int.random(in: 0..<5, using: &dice)
      if Bool.random(using: &dice) {
        let title = "\(turn)"
        var list = peers[who].playlist
        let new = film(title)
        if isLong, Bool.random(using: &dice) {
          list.open(new, at: nil, using: &dice)
        } else if !list.append(new, at: nil, using: &dice) {
          #expect(isLong)
          continue
        }
        titles.insert(title)
        peers[who].edited(list)
        set(peers[who].playlist, by: who)
      } else {
        receive(who)
      }
    }
    var rounds = 0
    func isCalm() -> Bool { mail.allSatisfy(\.isEmpty) && peers.allSatisfy { $0.deadline == nil } }
    while !isCalm(), rounds < 10_000 {
      let who = Int.random(in: 0..<5, using: &dice)
      receive(who)
      if mail.allSatisfy(\.isEmpty),
        case .set(let list) = peers[who].deadlinePassed(
          mayEdit: true, now: Self.now + SharedPlaylist.patience)
      {
        set(list, by: who)
      }
      rounds += 1
    }
    #expect(isCalm())
    for peer in peers {
      #expect(peer.playlist == peers[0].playlist)
      let shown = Set(peer.playlist.entries.map(\.title))
      #expect(isLong ? shown.isSubset(of: titles) && shown.count > 1 : shown == titles)
    }
    #expect(lists.last == peers[0].playlist, "the session's list isn't the merged one")
  }
}
