import Foundation
import Testing

/// Films from one participant's copy, in real programs.
@Suite("Sharing a film, end to end", .serialized)
struct SharingTests {
  private static func inStep(_ state: MatineeProcess.Event) -> Bool {
    state.string("status") == "playing" && state.flag("playerPaused") == false
      && (state.fields["suspensions"] as? [String]) == []
      && abs(state.number("syncErrorMs") ?? .infinity) < 30
  }

  @Test("A friend without the film agrees once, and plays it in step while it arrives")
  func shares() async throws {
    let film = try Clips.stream.get()
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    let question = try await ben.next("share")
    #expect(question.string("from") == "Ana")
    try ben.send("allow")
    _ = try await ben.next("opened")
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state(where: Self.inStep) }
    try ben.send("seek 12")
    for one in [ana, ben] {
      _ = try await one.state { Self.inStep($0) && $0.number("playerPosition") ?? 0 > 12 }
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A host is asked to share a film that a friend lacks, and a no is a no")
  func asks() async throws {
    let film = try Clips.stream.get()
    let (ana, invite) = try await MatineeProcess.host([], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    let question = try await ana.next("share")
    #expect(question.fields["to"] as? [String] == ["Ben"])
    try ana.send("deny")
    try ana.send("share")
    _ = try await ben.next("share")
    try ben.send("deny")
    try ben.send("state")
    #expect(try await ben.currentState().string("path") == nil)
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A friend keeps the film, and gives it to another when its owner's program was killed")
  func crash() async throws {
    let film = try Clips.stream.get()
    let folder = try Clips.newFolder("kept")
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    _ = try await ben.next("share")
    try ben.send("allow")
    _ = try await ben.next("opened")
    try ben.send("keep \(folder.path)")
    _ = try await ben.next("warning") {
      $0.string("message")?.hasPrefix("The film is kept") == true
    }
    let kept = folder.appendingPathComponent(URL(fileURLWithPath: film).lastPathComponent)
    #expect(try Data(contentsOf: kept) == Data(contentsOf: URL(fileURLWithPath: film)))

    let chi = try MatineeProcess(["join", invite, "--name", "Chi"])
    _ = try await chi.next("share")
    ana.kill9()
    _ = try await chi.next("participant-left")
    try chi.send("allow")
    _ = try await chi.next("opened")
    try ben.send("play")
    for one in [ben, chi] { _ = try await one.state(where: Self.inStep) }
    for one in [chi, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("Of a list its film is shared")
  func list() async throws {
    let folder = try Clips.newFolder("list")
    let list = folder.appendingPathComponent("films.m3u")
    let film = try Clips.stream.get()
    let copy = folder.appendingPathComponent("film.mp4")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: film), to: copy)
    try Data("film.mp4\n".utf8).write(to: list)
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: list.path)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    // The film itself is.
    _ = try await ben.next("share")
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }
}
