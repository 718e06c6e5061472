import Foundation
import Testing
import Timekeeping

/// Matinee, a GStreamer player and a bot in one party: real processes, a real relay.
@Suite("Programs of others in a party", .serialized)
struct ForeignPlayerTests {
  /// A position that the GStreamer player wrote.
  private struct Place {
    var hostTime: HostTime
    var itemTime: MediaTime
    var rate: Double

    init?(_ line: String) {
      let words = line.split(separator: " ")
      guard words.count == 4, words[0] == "position", let hostTime = Int64(words[1]),
        let itemTime = Int64(words[2]), let rate = Double(words[3])
      else { return nil }
      self.hostTime = HostTime(nanoseconds: hostTime)
      self.itemTime = MediaTime(nanoseconds: itemTime)
      self.rate = rate
    }

    func itemTime(at time: HostTime) -> Double {
      (itemTime + (time - hostTime) * rate).seconds
    }
  }

  /// Waits for a moment at which the host and the player are at the same position.
  ///
  /// The host's position belongs to some instant between the request and the answer, however slow the machine is.
  private func expectOnePosition(_ host: MatineeProcess, _ player: ExampleProcess) async throws {
    let start = ContinuousClock.now
    while true {
      let asked = HostTime.now()
      let position = try await host.currentState().number("position")!
      let answered = HostTime.now()
      let place = try #require(try player.lines.compactMap(Place.init).last)
      let bound = 0.25
      if place.itemTime(at: asked) - bound <= position,
        position <= place.itemTime(at: answered) + bound
      {
        return
      }
      try #require(ContinuousClock.now - start < MatineeProcess.deadline, "\(place) \(position)")
    }
  }

  @Test("A GStreamer player and a bot start, seek, change speed and pause with Matinee")
  func together() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let film = try Clips.film.get()
    let bot = try ExampleProcess("PartyBot", [invite])
    let sink = "\"fakesink sync=true\""
    let player = try ExampleProcess(
      "GStreamerPlayer", [invite, film, "video-sink=\(sink)", "audio-sink=\(sink)"])
    _ = try await bot.line("film film")
    _ = try await ana.state { state in
      Set(state.roster.compactMap { $0["name"] as? String }) == ["Ana", "Bot", "GStreamer"]
    }

    try ana.send("play")
    _ = try await bot.line("play at 1.0")
    _ = try await player.line("position")
    try await expectOnePosition(ana, player)

    try ana.send("seek 60")
    _ = try await bot.line("seek to 60.0")
    _ = try await player.wait { $0.compactMap(Place.init).first { $0.itemTime.seconds >= 60 } }
    try await expectOnePosition(ana, player)

    try ana.send("rate 1.5")
    _ = try await bot.line("play at 1.5")
    _ = try await player.wait { $0.compactMap(Place.init).first { $0.rate == 1.5 } }
    try await expectOnePosition(ana, player)
    // The player's own report travels with its beacon.
    _ = try await ana.state { state in
      state.roster.contains {
        $0["name"] as? String == "GStreamer"
          && abs(($0["syncErrorMs"] as? Double) ?? .infinity) < 100
      }
    }

    try ana.send("pause")
    _ = try await bot.line("pause")
    // On a busy machine the player pauses a frame later than was asked, and the group follows it.
    let frame = try await ana.state { state in
      guard let group = state.number("groupPosition"), let own = state.number("playerPosition")
      else { return false }
      return state.flag("playerPaused") == true && abs(group - own) < 0.001
    }.number("groupPosition")!
    try ana.send("play")
    // The first start after the pause.
    let next = try await bot.wait { lines in
      lines.lastIndex { $0.hasPrefix("pause") }
        .flatMap { lines[$0...].first { $0.hasPrefix("play at 1.5 from") } }
        .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
    }
    #expect(abs(next - frame) < 0.001, "the start is where the pause was")

    try ana.send("chat hello")
    _ = try await bot.wait { $0.first { $0.hasPrefix("chat") && $0.contains("\"hello\"") } }
    #expect(try await ana.quit() == 0)
  }
}
