import Foundation
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("What a player does by itself") struct SelfMovingPlayer {
    private static func script(_ name: String, _ text: String) throws -> MPVConfiguration.Option {
      let url = Clips.folder.appendingPathComponent("\(UUID().uuidString)-\(name).lua")
      try text.write(to: url, atomically: true, encoding: .utf8)
      return MPVConfiguration.Option(name: "scripts", value: url.path)
    }

    private static func isUsers(_ event: PlayerEvent) -> Bool {
      switch event {
      case .userPaused, .userResumed, .userSought, .userChangedRate, .userLoaded: true
      default: false
      }
    }

    @Test("A script that answers a start isn't its user, and is put back without another start")
    func answer() async throws {
      let script = try Self.script(
        "rewind",
        """
        mp.observe_property("pause", "bool", function(_, isPaused)
          if isPaused == false then mp.commandv("seek", "-1.5", "relative+exact") end
        end)
        """)
      try await PlayerUnderTest.with(Clips.film, at: 5.0, options: [script]) { test in
        _ = await test.pause()
        let start = HostTime.now()
        _ = await test.play(from: 5.0, at: start)
        let strayed = await test.event { if case .strayed = $0 { true } else { nil } }
        #expect(strayed == true)
        #expect(!(await test.events().contains(where: Self.isUsers)))
        // The group returns it to its line.
        await test.forgetEvents()
        _ = await test.play(from: 5.0, at: start)
        let line = PlaybackLine(rate: 1, itemTime: 5.0, hostTime: start)
        #expect(
          await test.snapshot { snapshot in
            (snapshot.itemTime ?? .zero) - line.itemTime(atHostTime: .now()) > .milliseconds(-500)
          })
        let events = await test.events()
        #expect(!events.contains { if case .strayed = $0 { true } else { false } })
        #expect(!events.contains(.pausedChanged(true)), "a pause would be answered again")
      }
    }

    @Test("At a film's end mpv doesn't go on to the next entry of a list of its own")
    func list() async throws {
      let script = try Self.script(
        "autoload",
        """
        -- mpv waits for a hook: the film hasn't started, however slow the script is.
        mp.add_hook("on_preloaded", 50, function()
          mp.commandv("loadfile", "\(Clips.sound)", "append")
        end)
        """)
      try await PlayerUnderTest.with(Clips.film, options: [script]) { test in
        _ = await test.play(from: 19.5, at: .now())
        let ended = await test.event { if case .ended = $0 { true } else { nil } }
        #expect(ended == true)
        await test.settleDown()
        #expect(await test.player.snapshot().path == Clips.film)
        #expect(!(await test.events().contains(where: Self.isUsers)))
        let queued = await test.event { if case .userQueued = $0 { $0 } else { nil } }
        #expect(queued == .userQueued(paths: [Clips.sound], isOpening: true))
      }
    }

    @Test(
      "Options that show a part of the film only don't hold",
      arguments: ["end=3", "length=3", "frames=75", "sstep=5", "ab-loop-a=1", "loop-file=inf"])
    func options(option: String) async throws {
      let parts = option.split(separator: "=").map(String.init)
      let options =
        [MPVConfiguration.Option(name: parts[0], value: parts[1])]
        + (parts[0] == "ab-loop-a" ? [.init(name: "ab-loop-b", value: "3")] : [])
      try await PlayerUnderTest.with(Clips.film, at: 2.0, options: options) { test in
        _ = await test.play(from: 2.0, at: .now(), rate: 4)
        #expect(await test.snapshot(within: 20) { ($0.itemTime ?? .zero) > 6.0 })
        let events = await test.events()
        #expect(!events.contains(where: Self.isUsers))
        #expect(!events.contains { if case .ended = $0 { true } else { false } })
      }
    }

    @Test("A loop that begins is reported")
    func loop() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        try await test.player.perform(["set", "loop-file", "inf"], showsInWindow: false)
        #expect(await test.event { $0 == .loopBegan ? true : nil } == true)
        await test.forgetEvents()
        await test.player.endLoops()
        try await test.player.perform(["set", "ab-loop-a", "1"], showsInWindow: false)
        await test.settleDown()
        #expect(!(await test.events().contains(.loopBegan)), "a loop has two ends")
        try await test.player.perform(["set", "ab-loop-b", "2"], showsInWindow: false)
        #expect(await test.event { $0 == .loopBegan ? true : nil } == true)
      }
    }

    @Test(
      "A file that names no duration can be sought beyond what was read, and has none until then")
    func growingDuration() async throws {
      try await PlayerUnderTest.with(Clips.longBroadcast) { test in
        // mpv's own duration, which shows that the film can be sought, may come just after the first frame.
        #expect(await test.snapshot { $0.duration == nil && $0.isSeekable })
        for target in [15.0, 4.0] as [MediaTime] {
          guard case .completed(let position?) = await test.seek(to: target) else {
            Issue.record("the seek failed")
            return
          }
          #expect((position - target).magnitude <= .milliseconds(40))
        }
        _ = await test.play(from: 19.5, at: .now())
        let end = await test.event { if case .ended(let at, _, _) = $0 { at } else { nil } }
        #expect(end.map { ($0 - 20.0).magnitude < .milliseconds(100) } == true)
        #expect(await test.snapshot { ($0.duration ?? .zero) > 19.9 })
      }
    }

    @Test("A stream of pictures without time stamps can't be sought")
    func noTimeStamps() async throws {
      try await PlayerUnderTest.with(Clips.raw) { test in
        let snapshot = await test.player.snapshot()
        #expect(!snapshot.isSeekable && snapshot.duration == nil)
        _ = await test.play(from: .zero, at: .now())
        #expect(await test.snapshot { ($0.itemTime ?? .zero) > 0.5 })
      }
    }
  }
}
