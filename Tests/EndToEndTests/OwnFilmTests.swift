import Foundation
import Testing

/// Watching another film than the party without leaving it, and reactions for all participants.
@Suite("A participant's own film in a party, end to end", .serialized)
struct OwnFilmTests {
  let party: PartyTests
  let first: String
  let second: String

  init() throws {
    party = try PartyTests()
    first = party.film
    second = try Clips.otherFilm.get()
  }

  @Test(
    "An own film moves no other participant, continues when the party changes its film, and ends on return; a reaction reaches all"
  )
  func alone() async throws {
    let (ana, invite) = try await party.host()
    let ben = try await party.join(invite, name: "Ben")
    try ana.send("play")
    _ = try await ben.state { $0.flag("playerPaused") == false }

    try ben.send("load-alone \(second)")
    _ = try await ben.next("opened") { $0.string("title") == "other" }
    _ = try await ana.state {
      $0.roster.contains { ($0["suspensions"] as? [String]) == ["watchingAlone"] }
    }
    try ben.send("play")
    _ = try await ben.state { $0.string("title") == "other" && $0.flag("playerPaused") == false }
    let hers = try await ana.currentState()
    #expect(hers.string("title") == "film" && hers.string("status") == "playing")
    try ben.send("pause")
    _ = try await ben.state { $0.flag("playerPaused") == true }
    #expect(try await ana.currentState().string("status") == "playing", "his pause is his own")

    // The party moves on to another film, and back: he is notified, and stays.
    try ana.send("enqueue \(second)")
    try ana.send("enqueue \(first)")
    _ = try await ana.state { ($0.fields["playlist"] as? [Any])?.count == 3 }
    try ana.send("seek 30")
    _ = try await ana.next("command") { $0.string("command") == "seek" }
    #expect(try await ben.currentState().string("title") == "other")

    try ben.send("resume")
    _ = try await ben.state {
      $0.string("title") == "film" && $0.flag("playerPaused") == false
        && $0.number("playerPosition") ?? 0 >= 30
    }
    try ben.send("react applause")
    for one in [ana, ben] {
      let event = try await one.next("reaction")
      #expect(event.string("from") == "Ben" && event.string("symbol") == "👏")
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("A playlist that leads out of its folder is opened once the user has agreed")
  func list() async throws {
    let list = Clips.folder.appendingPathComponent("list-\(UUID())/evening.m3u")
    try FileManager.default.createDirectory(
      at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
    try "#EXTM3U\n\(first)\n".write(to: list, atomically: false, encoding: .utf8)
    let ana = try MatineeProcess([list.path])
    let question = try await ana.next("confirm")
    #expect(question.string("origin") == "file://" + list.path && question.string("url") == first)
    #expect(try await ana.currentState().number("duration") == nil)
    try ana.send("allow")
    _ = try await ana.next("opened")
    _ = try await ana.state { $0.number("duration") ?? 0 > 1 }
    #expect(try await ana.quit() == 0)
  }
}
