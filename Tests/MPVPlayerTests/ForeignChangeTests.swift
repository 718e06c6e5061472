import Foundation
import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("Changes by another program through mpv's IPC") struct ForeignChanges {
    /// Runs `body` with a player and another program connected to it.
    private func withPlayer(
      playing: Bool = true, at start: MediaTime = 2.0, clip: String = Clips.film,
      _ body: (PlayerUnderTest, IPCClient) async throws -> Void
    ) async throws {
      let socket = Clips.folder.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
      let options = [MPVConfiguration.Option(name: "input-ipc-server", value: socket)]
      try await PlayerUnderTest.with(clip, at: start, options: options) { test in
        let ipc = try IPCClient(path: socket)
        if playing {
          #expect(
            await test.play(from: start, at: .now() + .milliseconds(50))
              == .completed(itemTime: nil))
        }
        // Until the first frame is there, seeks count as part of loading.
        if !playing { #expect(await test.pause() == .completed(itemTime: start)) }
        await test.sleep(.milliseconds(100))
        await test.afterAnswers()
        // As the program does before it adjusts the speed: a late start is corrected first.
        let end = ContinuousClock.now + .seconds(20)
        while await test.player.snapshot().isSettling, .now < end {
          await test.sleep(.milliseconds(20))
        }
        try await body(test, ipc)
      }
    }

    @Test("Files that the user appends to mpv's list are reported, and mpv keeps none of them")
    func queue() async throws {
      try await withPlayer { test, ipc in
        for _ in 0..<2 { try ipc.command("loadfile", Clips.sound, "append") }
        let queued = await test.event { if case .userQueued = $0 { $0 } else { nil } }
        #expect(queued == .userQueued(paths: [Clips.sound, Clips.sound], isOpening: false))
        #expect(try await test.player.get("playlist-count").value == .integer(1))
        #expect(await test.player.snapshot().path == Clips.film)
      }
    }

    @Test("A pause is attributed to the user")
    func pause() async throws {
      try await withPlayer { test, ipc in
        try ipc.command("set_property", "pause", true)
        let position = await test.event { if case .userPaused(let at) = $0 { at } else { nil } }
        #expect(position.map { $0 > 2.0 && $0 < 12.0 } == true)
        #expect(await test.player.snapshot().isPaused)
      }
    }

    @Test("A resume is attributed to the user, also one that begins with a key")
    func resume() async throws {
      try await withPlayer(playing: false) { test, ipc in
        try ipc.command("keypress", "SPACE")
        let position = await test.event { if case .userResumed(let at) = $0 { at } else { nil } }
        #expect(position.map { $0 >= 2.0 && $0 < 12.0 } == true)
      }
    }

    @Test(
      "A seek is attributed to the user, with the position where it ended",
      arguments: [true, false])
    func seek(playing: Bool) async throws {
      try await withPlayer(playing: playing) { test, ipc in
        try ipc.command("seek", 10, "absolute+exact")
        let position = await test.event { if case .userSought(let to) = $0 { to } else { nil } }
        #expect(position.map { $0 >= 9.95 && $0 < 12.0 } == true)
      }
    }

    @Test("Stepping by frames is a seek by one frame, and no other change", arguments: [1, -1])
    func frameStep(direction: Int) async throws {
      try await withPlayer(playing: false) { test, ipc in
        _ = await test.seek(to: 4.0)
        await test.forgetEvents()
        try ipc.command(direction > 0 ? "frame-step" : "frame-back-step")
        let position = await test.event { if case .userSought(let to) = $0 { to } else { nil } }
        #expect(position == (direction > 0 ? 4.04 : 3.96))
        #expect(
          await test.events().allSatisfy {
            switch $0 {
            case .userPaused, .userResumed: false
            default: true
            }
          })
      }
    }

    @Test("A change of speed is attributed to the user, without the controller's adjustment in it")
    func rate() async throws {
      try await withPlayer { test, ipc in
        try await test.player.setNudge(1.004)
        try ipc.command("multiply", "speed", 1.1)
        let rate = await test.event { if case .userChangedRate(let to) = $0 { to } else { nil } }
        #expect(rate == 1.1)
        #expect(await test.player.snapshot().rate == 1.1)
      }
    }

    @Test("A changed speed is rounded, however it was changed, and is adjusted on from there")
    func steadyNudge() async throws {
      let nudge = 1.00007
      try await withPlayer { test, ipc in
        let changes: [([String], Double)] = [
          (["keypress", "]"], 1.1), (["keypress", "BS"], 1), (["keypress", "["], 0.909_091),
          (["keypress", "BS"], 1), (["add", "speed", "0.1"], 1.1),
          (["set", "speed", "1.25"], 1.25),
          (["add", "speed", "-0.05"], 1.2), (["keypress", "}"], 2.4), (["keypress", "{"], 1.2),
        ]
        var rate = 1.0
        for (command, expected) in changes {
          try await test.player.setNudge(nudge)
          #expect(try abs((ipc.double("speed") ?? 0) - rate * nudge) < 4e-6, "\(command)")
          #expect(await test.player.snapshot().rate == rate, "\(command)")
          await test.forgetEvents()
          try ipc.command(command)
          let reported = await test.event {
            if case .userChangedRate(let to) = $0 { to } else { nil }
          }
          #expect(reported == expected, "\(command)")
          rate = expected
        }
      }
    }

    @Test("A speed that is multiplied while a late start is caught up with is rounded, too")
    func catchUp() async throws {
      try await withPlayer { test, ipc in
        for _ in 0..<6 {
          await test.forgetEvents()
          _ = await test.seek(to: 2.0, buffering: true)
          // So late that another seek would take longer.
          _ = await test.play(from: 2.0, at: .now() - .milliseconds(4))
          await test.afterAnswers()
          var isCatchingUp = false
          while !isCatchingUp, await test.player.snapshot().isSettling {
            isCatchingUp = (try ipc.double("speed") ?? 0) > 1.0001
          }
          // A start that happened to be in time is multiplied as well.
          try ipc.command("multiply", "speed", 1.1)
          let rate = await test.event {
            if case .userChangedRate(let to) = $0 { to } else { nil }
          }
          #expect(rate == 1.1)
          _ = await test.pause()
          try await test.player.resetSpeed()
        }
      }
    }

    @Test("Opening another film is attributed to the user, who didn't close the film before")
    func otherFilm() async throws {
      try await withPlayer { test, ipc in
        try ipc.command("loadfile", Clips.sound)
        let change = await test.event { event -> PlayerEvent? in
          switch event {
          case .userLoaded, .userStopped: event
          default: nil
          }
        }
        #expect(change == .userLoaded(path: Clips.sound))
      }
    }

    @Test("Stopping is attributed to the user")
    func stop() async throws {
      try await withPlayer { test, ipc in
        try ipc.command("stop")
        #expect(await test.event { $0 == .userStopped ? true : nil } == true)
        #expect(await test.pause() == .failed(.coordinatedPlaybackNotPossible))
      }
    }

    @Test("Quitting is attributed to the user, and ends all waiting calls")
    func quit() async throws {
      try await withPlayer { test, ipc in
        async let start = test.play(from: 5.0, at: .now() + .seconds(3600))
        try ipc.command("quit")
        #expect(await test.event { $0 == .userQuit ? true : nil } == true)
        #expect(await test.event { $0 == .shutdown ? true : nil } == true)
        #expect(await start == .failed(.coordinatedPlaybackNotPossible))
        await #expect(throws: MPVError.self) { try await test.player.load(Clips.film) }
      }
    }

    @Test("Changes that cross commands are distinguished")
    func crossing() async throws {
      try await withPlayer { test, ipc in
        for round in 0..<8 {
          await test.forgetEvents()
          let position = MediaTime(seconds: Double(1 + round))
          async let commanded = test.seek(to: position)
          // While the seek is running: the volume isn't part of the transport.
          try ipc.command("add", "volume", -1)
          #expect(await commanded == .completed(itemTime: position))
          let line = HostTime.now() + .milliseconds(20)
          async let started = test.play(from: position, at: line)
          try ipc.command("set_property", "pause", true)
          _ = await started
          // The last change wins: a pause after our start is reported, one before it changed nothing.
          try ipc.command("get_property", "pause")
          await test.settleDown()
          let isPaused = await test.player.snapshot().isPaused
          let reported = await test.events().contains {
            if case .userPaused = $0 { true } else { false }
          }
          #expect(isPaused == reported, "round \(round)")
          let others = await test.events().filter {
            switch $0 {
            case .userSought, .userResumed, .userChangedRate: true
            default: false
            }
          }
          #expect(others.isEmpty, "round \(round)")
        }
      }
    }

    @Test("No action of the player itself is attributed to a user")
    func ownChanges() async throws {
      try await withPlayer(playing: false) { test, _ in
        for clip in [Clips.film, Clips.silentFilm, Clips.sound] {
          await test.player.setCurrentItemIdentifier(clip)
          try await test.player.load(clip, startingAt: 1.0)
          for (position, rate) in [(3.0, 1.0), (18.5, 1.5), (0.0, 0.8), (19.0, 1.0)] {
            _ = await test.seek(to: MediaTime(seconds: position), buffering: true)
            _ = await test.play(from: MediaTime(seconds: position), at: .now(), rate: rate)
            try await test.player.setNudge(1.01)
            await test.sleep(.milliseconds(120))
            try await test.player.setNudge(1)
            _ = await test.play(
              from: MediaTime(seconds: position + 0.1), at: .now() + .milliseconds(30),
              rate: rate + 0.1)
            _ = await test.pause()
          }
          _ = await test.play(from: 19.7, at: .now())
          let end = await test.event { if case .ended(let at, _, _) = $0 { at } else { nil } }
          #expect(end != nil, "\(clip.name)")
        }
        let users = await test.events().filter {
          switch $0 {
          case .userPaused, .userResumed, .userSought, .userChangedRate, .userLoaded, .userStopped,
            .userQuit:
            true
          default: false
          }
        }
        #expect(users.isEmpty)
      }
    }
  }
}
