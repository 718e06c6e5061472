import Foundation
import ProcessTesting
import Testing

/// People's part in an evening, in real programs.
@Suite("An evening, end to end", .serialized)
struct EveningEndToEndTests {
  @Test("A moment that two of three mark is reported to all, listed, and written with the chat")
  func moments() async throws {
    let folder = try Clips.newFolder("evening")
    let (ana, ben, chi) = try await party()
    try ana.send("seek 2")
    for one in [ana, ben, chi] {
      _ = try await one.state { abs(($0.number("groupPosition") ?? 0) - 2) < 0.1 }
    }
    try ben.send("react moment")
    _ = try await chi.next("reaction")
    try chi.send("react moment")
    for one in [ana, ben, chi] {
      let moment = try await one.next("moment")
      #expect(moment.fields["names"] as? [String] == ["Ben", "Chi"])
      #expect(abs((moment.number("position") ?? 0) - 2) < 0.2)
    }
    try chi.send("chat what a view")
    _ = try await ana.next("chat")
    try await MatineeProcess.wait("the moment isn't listed") {
      try ana.send("moments")
      let listed = try await ana.next("moments").fields["moments"] as? [[String: Any]] ?? []
      return listed.count == 1 && listed[0]["title"] as? String == "film"
    }
    let file = folder.appendingPathComponent("evening.srt").path
    for problem in [false, true] {
      try ana.send("export \(file)")
      _ = try await ana.next(problem ? "error" : "notice")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("Ben: ⭐") && text.contains("Chi: what a view"))
    for one in [chi, ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A question to all is carried out once a majority is for it, and not otherwise")
  func votes() async throws {
    let (ana, ben, chi) = try await party()
    try ana.send("seek 3")
    for isAccepted in [false, true] {
      for one in [ana, ben, chi] {
        _ = try await one.state { abs(($0.number("groupPosition") ?? 0) - 3) < 0.1 }
      }
      try ben.send("vote rewind")
      for one in [ana, ben, chi] {
        let vote = try await one.next("vote")
        #expect(vote.string("by") == "Ben" && vote.flag("accepted") == nil)
      }
      for one in [ana, chi] { try one.send(isAccepted ? "allow" : "deny") }
      for one in [ana, ben, chi] {
        let vote = try await one.next("vote") { $0.flag("accepted") != nil }
        #expect(vote.flag("accepted") == isAccepted)
        #expect(vote.number("yes") ?? 0 >= (isAccepted ? 2 : 1) && vote.number("of") == 3)
      }
    }
    for one in [ana, ben, chi] {
      _ = try await one.state { abs($0.number("groupPosition") ?? 9) < 0.1 }
    }
    try ana.send("vote skip")
    #expect(try await ana.next("error").string("message")?.contains("introduction") == true)
    for one in [chi, ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("What was said comes back at its place when the film is watched again")
  func echoes() async throws {
    let film = try Clips.film.get()
    let state = ["XDG_STATE_HOME": try Clips.newFolder("echoes").path]
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", film], environment: state)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await ben.next("opened")
    try ana.send("seek 2")
    _ = try await ana.state { abs(($0.number("groupPosition") ?? 0) - 2) < 0.1 }
    try ben.send("chat what a view")
    _ = try await ana.next("chat")
    for one in [ben, ana] { #expect(try await one.quit() == 0) }

    let again = try MatineeProcess([film], environment: state)
    _ = try await again.next("opened")
    try again.send("seek 1")
    try again.send("play")
    let echo = try await again.next("echo")
    #expect(echo.string("from") == "Ben" && echo.string("text") == "what a view")
    #expect(abs((echo.number("position") ?? 0) - 2) < 0.2)
    #expect(try await again.quit() == 0)
  }

  @Test("The film is lowered while a program for calls is audible", .timeLimit(.minutes(3)))
  func calls() async throws {
    let server = try await PulseServer()
    let film = try Clips.film.get()
    let ana = try MatineeProcess([film, "--duck"], environment: server.environment)
    _ = try await ana.next("opened")
    func decibels() async throws -> Double? {
      try ana.send("mpv show-text ${=replaygain-fallback}")
      return Double(try await ana.next("notice").string("message") ?? "")
    }
    _ = try await ana.next("notice")
    #expect(try await decibels() == 0)
    let call = try Call(on: server)
    try await MatineeProcess.wait("the film isn't lowered") { try await decibels() == -12 }
    call.end()
    try await MatineeProcess.wait("the film stays lowered") { try await decibels() == 0 }
    #expect(try await ana.quit() == 0)
  }

  /// A party of three with their own copies of a film.
  private func party() async throws -> (MatineeProcess, MatineeProcess, MatineeProcess) {
    let film = try Clips.film.get()
    let (ana, invite) = try await MatineeProcess.host([], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    let chi = try MatineeProcess(["join", invite, "--name", "Chi", film])
    for one in [ben, chi] { _ = try await one.next("opened") }
    _ = try await ana.next("participants") {
      ($0.fields["participants"] as? [Any])?.count == 3
    }
    return (ana, ben, chi)
  }

  /// A program that the sound server knows as one for calls, with sound.
  private struct Call {
    private let process: ChildProcess

    init(on server: PulseServer) throws {
      let noise = try Clips.newFolder("call").appendingPathComponent("noise")
      try Data((0..<4_800_000).map { _ in UInt8.random(in: 0...255) }).write(to: noise)
      process = try ChildProcess.start(
        [
          "pacat", "--device=nowhere", "--property=media.role=phone", "--format=u8",
          "--rate=48000", "--channels=1", noise.path,
        ], output: URL(fileURLWithPath: "/dev/null"),
        environment: ProcessInfo.processInfo.environment.merging(server.environment) { $1 })
    }

    func end() {
      process.terminate()
      process.wait()
    }
  }
}
