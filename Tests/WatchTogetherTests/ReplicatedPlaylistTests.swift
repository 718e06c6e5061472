import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import WatchTogether

@Suite("The replicated playlist")
struct ReplicatedPlaylistTests {
  private static func film(_ name: String, _ dice: inout RandomSource) -> PlaylistEntry {
    PlaylistEntry(
      id: .random(in: .min ... .max, using: &dice), identifier: name, title: name, location: nil)
  }

  private static func list(_ titles: [String], _ dice: inout RandomSource) -> Playlist {
    var list = Playlist(film(titles[0], &dice), at: nil, using: &dice)
    for title in titles.dropFirst() {
      #expect(list.append(film(title, &dice), at: nil, using: &dice))
    }
    return list
  }

  private static func titles(_ list: Playlist) -> [String] { list.entries.map(\.title) }

  @Test("Entries keep their order when films are added, moved and removed")
  func editing() {
    var dice = RandomSource.seeded(1)
    var list = Self.list(["a", "b", "c", "d"], &dice)
    #expect(list.move(from: 3, to: 0, at: nil, using: &dice))
    #expect(Self.titles(list) == ["d", "a", "b", "c"])
    #expect(list.move(from: 1, to: 2, at: nil, using: &dice))
    #expect(Self.titles(list) == ["d", "b", "a", "c"])
    #expect(list.remove(at: 1, now: nil, using: &dice))
    #expect(Self.titles(list) == ["d", "a", "c"])
    #expect(list.current.title == "a")
    list.open(Self.film("x", &dice), at: nil, using: &dice)
    #expect(Self.titles(list) == ["d", "a", "x", "c"])
    #expect(list.current.title == "x")
  }

  @Test("An index out of range changes nothing, and the current entry isn't removed")
  func refusals() {
    var dice = RandomSource.seeded(1)
    var list = Self.list(["a", "b"], &dice)
    let before = list
    for index in [Int.min, -1, 2, .max] {
      #expect(!list.move(from: index, to: 0, at: nil, using: &dice))
      #expect(!list.move(from: 0, to: index, at: nil, using: &dice))
      #expect(!list.remove(at: index, now: nil, using: &dice))
      #expect(list.entry(at: index) == nil || index == -1)
    }
    #expect(!list.remove(at: 0, now: nil, using: &dice))
    #expect(list == before)
  }

  @Test("One film can stand in a list twice, and the entry after the first is the second")
  func sameFilmTwice() throws {
    var dice = RandomSource.seeded(1)
    var list = Self.list(["a", "a", "b"], &dice)
    let second = try #require(list.entry(at: 1))
    #expect(second.identifier == list.current.identifier && second.id != list.current.id)
    #expect(list.makeCurrent(second.id, at: nil, using: &dice))
    #expect(list.entry(at: 1)?.title == "b")
  }

  @Test("Films that two participants add at once are all in the list, in the same order for both")
  func concurrentInsertions() {
    var dice = RandomSource.seeded(2)
    let common = Self.list(["a"], &dice)
    var (ana, ben) = (common, common)
    for index in 0..<10 {
      #expect(ana.append(Self.film("ana\(index)", &dice), at: nil, using: &dice))
      #expect(ben.append(Self.film("ben\(index)", &dice), at: nil, using: &dice))
    }
    #expect(ana.merged(with: ben) == ben.merged(with: ana))
    let titles = Self.titles(ana.merged(with: ben))
    #expect(titles.count == 21)
    // Each participant's films are in that participant's order.
    for name in ["ana", "ben"] {
      #expect(titles.filter { $0.hasPrefix(name) } == (0..<10).map { "\(name)\($0)" })
    }
  }

  @Test("A removal and a move at once: the entry is gone. Of two moves the newer counts.")
  func concurrentMoves() {
    var dice = RandomSource.seeded(3)
    let common = Self.list(["a", "b", "c"], &dice)
    var (ana, ben) = (common, common)
    #expect(ana.remove(at: 1, now: nil, using: &dice))
    #expect(ben.move(from: 1, to: 2, at: GroupTime(nanoseconds: 5000), using: &dice))
    #expect(Self.titles(ana.merged(with: ben)) == ["a", "c"])

    (ana, ben) = (common, common)
    #expect(ana.move(from: 2, to: 0, at: GroupTime(nanoseconds: 1000), using: &dice))
    #expect(ben.move(from: 2, to: 1, at: GroupTime(nanoseconds: 2000), using: &dice))
    #expect(Self.titles(ana.merged(with: ben)) == ["a", "c", "b"])
    #expect(ana.merged(with: ben) == ben.merged(with: ana))
  }

  @Test(
    "An entry that one participant removes while another begins to watch it stays until the next")
  func removedWhileChosen() throws {
    var dice = RandomSource.seeded(4)
    let common = Self.list(["a", "b", "c"], &dice)
    var (ana, ben) = (common, common)
    #expect(ana.remove(at: 1, now: nil, using: &dice))
    let chosen = try #require(ben.entry(at: 1))
    #expect(ben.makeCurrent(chosen.id, at: nil, using: &dice))
    var merged = ana.merged(with: ben)
    #expect(merged == ben.merged(with: ana))
    #expect(merged.current.title == "b" && Self.titles(merged) == ["a", "b", "c"])
    let next = try #require(merged.entry(at: 1))
    #expect(merged.makeCurrent(next.id, at: nil, using: &dice))
    #expect(Self.titles(merged) == ["a", "c"])
  }

  @Test("Both participants at the end of one film go to the same next one")
  func bothAdvance() throws {
    var dice = RandomSource.seeded(5)
    let common = Self.list(["a", "b", "c"], &dice)
    var (ana, ben) = (common, common)
    let next = try #require(common.entry(at: 1))
    #expect(ana.makeCurrent(next.id, at: nil, using: &dice))
    #expect(ben.makeCurrent(next.id, at: nil, using: &dice))
    #expect(ana.merged(with: ben).current.title == "b")
  }

  @Test("A full list takes no more films, except one that is opened in place of the current one")
  func full() {
    var dice = RandomSource.seeded(6)
    var list = Self.list((0..<Playlist.entryLimit).map { "\($0)" }, &dice)
    #expect(!list.append(Self.film("x", &dice), at: nil, using: &dice))
    list.open(Self.film("y", &dice), at: nil, using: &dice)
    #expect(list.entries.count == Playlist.entryLimit)
    #expect(Self.titles(list).first == "y" && list.current.title == "y")
  }

  /// Hostile positions leave no room, and a list full of the largest stamps no newer ones.
  @Test("A list with the most extreme positions and stamps can still be edited")
  func extremes() throws {
    var dice = RandomSource.seeded(7)
    let digits = (0..<ListPosition.digitLimit).map { _ in "4294967295" }.joined(separator: ",")
    let json = """
      {"playlist":[
        {"id":1,"identifier":"a","title":"a","at":[\(digits)],"moved":[9223372036854775807,4294967295]},
        {"id":2,"identifier":"b","title":"b","at":[\(digits)],"moved":[9223372036854775807,4294967295]}
      ],"current":1,"chosen":[9223372036854775807,4294967295]}
      """
    var list = try JSONDecoder().decode(Playlist.self, from: Data(json.utf8))
    #expect(list.append(Self.film("c", &dice), at: nil, using: &dice))
    #expect(list.move(from: 2, to: 1, at: nil, using: &dice))
    #expect(Self.titles(list) == ["a", "c", "b"])
    let sent = try JSONDecoder().decode(Playlist.self, from: JSONEncoder().encode(list))
    #expect(sent == list)
  }

  /// A list of entries that are as long as others accept, up to the size of a message.
  private static func longest(_ dice: inout RandomSource) throws -> Playlist {
    func entry() -> PlaylistEntry {
      let id = UInt32.random(in: .min ... .max, using: &dice)
      // Characters that JSON escapes, with two bytes and with six.
      let text = String(repeating: ["\u{1}", "/", "é", "a"][Int(id % 4)], count: 300)
      return PlaylistEntry(
        id: id, identifier: String(repeating: "/", count: 80), title: text,
        location: id % 3 == 0
          ? nil : "http://" + String(repeating: "/", count: Int(id % 4000)),
        fileSize: id % 3 == 0 ? .max : nil)
    }
    var list = Playlist(entry(), at: nil, using: &dice)
    for _ in 0..<60 {
      _ = list.append(entry(), at: nil, using: &dice)
      if Bool.random(using: &dice) { _ = list.remove(at: 1, now: nil, using: &dice) }
    }
    return list
  }

  @Test(
    "Whatever lists are merged, the result fits into a message and can be edited",
    arguments: [UInt64](0..<20))
  func size(seed: UInt64) throws {
    var dice = RandomSource.seeded(seed)
    let lists = try (0..<4).map { _ in try Self.longest(&dice) }
    var merged = lists[0]
    for list in lists.dropFirst() {
      merged.merge(list)
      let sent = try JSONEncoder().encode(FilmActivity(merged, isOwnFilm: true))
      #expect(sent.count <= Playlist.sizeLimit)
      #expect(try JSONDecoder().decode(FilmActivity.self, from: sent).playlist == merged)
    }
    let reversed = lists.reversed().reduce(lists[3]) { $0.merged(with: $1) }
    #expect(reversed.merged(with: merged) == merged.merged(with: reversed))
    #expect(merged.merged(with: merged) == merged)
    let film = Self.film("the next one", &dice)
    merged.open(film, at: GroupTime(nanoseconds: 1 << 40), using: &dice)
    #expect(merged.current == film && merged.entries.count > 1)
    #expect(try JSONEncoder().encode(merged).count <= Playlist.sizeLimit)
  }

  @Test("A list by its size is full before it loses an entry")
  func fullBySize() throws {
    var dice = RandomSource.seeded(1)
    var list = Self.list(["a"], &dice)
    func long() -> PlaylistEntry {
      PlaylistEntry(
        id: .random(in: .min ... .max, using: &dice), identifier: "x", title: "x",
        location: String(repeating: "x", count: 4000))
    }
    for _ in 0..<3 { #expect(list.append(long(), at: nil, using: &dice)) }
    #expect(!list.append(long(), at: nil, using: &dice))
    #expect(list.entries.count == 4 && list.append(Self.film("b", &dice), at: nil, using: &dice))
  }

  @Test("A file's size travels with its entry, and one that no file has is ignored")
  func fileSize() throws {
    var dice = RandomSource.seeded(1)
    for (size, read) in [(nil, nil), (46_900_000, 46_900_000), (0, nil), (-1, nil)]
      as [(Int?, Int?)]
    {
      let entry = PlaylistEntry(
        id: 1, identifier: "x", title: "x", location: nil, fileSize: size)
      let sent = try JSONEncoder().encode(Playlist(entry, at: nil, using: &dice))
      #expect(try JSONDecoder().decode(Playlist.self, from: sent).current.fileSize == read)
    }
  }

  @Test("An entry that is longer than programs make isn't accepted")
  func longEntries() throws {
    var dice = RandomSource.seeded(1)
    let long: [(String, String?)] = [
      (String(repeating: "x", count: 81), nil), ("x", String(repeating: "x", count: 4097)),
      ("x", String(repeating: "\u{1}", count: 2100)),
    ]
    for (identifier, location) in long {
      let entry = PlaylistEntry(id: 1, identifier: identifier, title: "x", location: location)
      let sent = try JSONEncoder().encode(Playlist(entry, at: nil, using: &dice))
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Playlist.self, from: sent) }
    }
    let title = PlaylistEntry(
      id: 1, identifier: "x", title: String(repeating: "é", count: 200), location: nil
    ).title
    #expect(title == String(repeating: "é", count: 128))
  }

  @Test(
    "Whatever several participants do, all who know the same edits have the same list",
    arguments: [UInt64](0..<200))
  func convergence(seed: UInt64) throws {
    var dice = RandomSource.seeded(seed)
    var peers = [Playlist](repeating: Self.list(["a", "b", "c"], &dice), count: 3)
    var added: Set<UInt32> = []
    var removed: Set<UInt32> = []
    for round in 0..<40 {
      let who = Int.random(in: 0..<3, using: &dice)
      let now = GroupTime(nanoseconds: Int64(round) * 1000 + .random(in: -500...500, using: &dice))
      let count = peers[who].entries.count
      switch Int.random(in: 0..<6, using: &dice) {
      case 0:
        let film = Self.film("\(round)", &dice)
        if peers[who].append(film, at: now, using: &dice) { added.insert(film.id) }
      case 1:
        _ = peers[who].move(
          from: .random(in: 0..<count, using: &dice), to: .random(in: 0..<count, using: &dice),
          at: now, using: &dice)
      case 2:
        let index = Int.random(in: 0..<count, using: &dice)
        let id = peers[who].entries[index].id
        if peers[who].remove(at: index, now: now, using: &dice) { removed.insert(id) }
      case 3:
        let id = peers[who].entries[.random(in: 0..<count, using: &dice)].id
        _ = peers[who].makeCurrent(id, at: now, using: &dice)
      default:
        let other = Int.random(in: 0..<3, using: &dice)
        let sent = try JSONEncoder().encode(peers[other])
        peers[who].merge(try JSONDecoder().decode(Playlist.self, from: sent))
      }
    }
    let all = peers[0].merged(with: peers[1]).merged(with: peers[2])
    #expect(peers[2].merged(with: peers[0]).merged(with: peers[1]) == all)
    #expect(all.merged(with: all) == all)
    let present = Set(all.entries.map(\.id))
    #expect(added.subtracting(removed).isSubset(of: present), "an insertion was lost")
    #expect(
      present.intersection(removed).subtracting([all.currentID]).isEmpty, "a removal was lost")
  }
}
