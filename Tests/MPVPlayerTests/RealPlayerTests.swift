import Foundation
import PlaybackCoordination
import ProcessTesting
import Testing
import Timekeeping

@testable import MPVPlayer

/// Tests with real libmpv, one after another: they measure time.
@Suite("A real player", .serialized) struct RealPlayerTests {
  @Suite("Loading") struct Loading {
    @Test("A film is loaded, and the player knows its properties")
    func film() async throws {
      try await PlayerUnderTest.with(Clips.film, at: 3.0) { test in
        let snapshot = await test.player.snapshot()
        #expect(snapshot.path == Clips.film)
        #expect(snapshot.title == "A test film")
        #expect(snapshot.isPaused && snapshot.isLoaded && snapshot.isSeekable)
        #expect(snapshot.hasVideo && snapshot.hasAudio && !snapshot.isRemote)
        #expect(snapshot.frameDuration == .milliseconds(40))
        #expect(abs((snapshot.duration?.seconds ?? 0) - 20) < 0.1)
        #expect(await test.pause() == .completed(itemTime: 3.0))
        try await test.player.load(Clips.film, titled: "Ana's film, 1")
        #expect(await test.player.snapshot().title == "Ana's film, 1")
        try await test.player.load(Clips.film)
        #expect(await test.player.snapshot().title == "A test film")
      }
    }

    @Test("A sound file has no frames, and a silent film has no sound")
    func kinds() async throws {
      try await PlayerUnderTest.with(Clips.sound) { test in
        let sound = await test.player.snapshot()
        #expect(sound.hasAudio && !sound.hasVideo && sound.frameDuration == nil)
        try await test.player.load(Clips.silentFilm)
        let silent = await test.player.snapshot()
        #expect(!silent.hasAudio && silent.hasVideo)
      }
    }

    @Test("Its picture is available in memory, and loaded from there")
    func picture() async throws {
      try await PlayerUnderTest.with(Clips.film, at: 3.0) { test in
        let picture = try await test.player.pictureFile()
        #expect(picture.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(await test.snapshot { $0.videoSize != nil })
        let size = await test.player.snapshot().videoSize
        let file = try MemoryFile(picture)
        #expect(file.bytes == picture)
        try await test.player.load(file.path)
        #expect(await test.snapshot { $0.videoSize != nil })
        #expect(await test.player.snapshot().videoSize == size)
      }
    }

    @Test("A picture that nobody waits for any more is written to no other file")
    func abandonedPicture() async throws {
      let folder = try URL.newFolder("matinee-victim")
      defer { try? FileManager.default.removeItem(at: folder) }
      let victim = folder.appendingPathComponent("film").path
      let content = Data("the user's film".utf8)
      try content.write(to: URL(fileURLWithPath: victim))
      try await PlayerUnderTest.with(Clips.film, at: 3.0) { test in
        for turn in 0..<40 {
          let abandoned = Task { try await test.player.pictureFile() }
          // The command is on its way, or not yet.
          for _ in 0..<turn { await Task.yield() }
          abandoned.cancel()
          _ = await abandoned.result
          // These get the numbers of descriptors that are free now.
          let files = (0..<8).map { _ in open(victim, O_RDONLY | O_CLOEXEC) }
          _ = try await test.player.pictureFile()
          for file in files { close(file) }
          #expect(FileManager.default.contents(atPath: victim) == content)
        }
      }
    }

    @Test("A song without a picture reports that it has none")
    func noPicture() async throws {
      try await PlayerUnderTest.with(Clips.sound) { test in
        await #expect(throws: MPVError.self) { _ = try await test.player.pictureFile() }
      }
    }

    @Test("A film can play from the start")
    func playing() async throws {
      let test = try PlayerUnderTest()
      try await test.player.load(Clips.film, startingAt: 5.0, paused: false)
      #expect(await test.snapshot { ($0.itemTime ?? .zero) > 5.1 })
      await test.shutDown()
    }

    @Test(
      "The error says why a location can't be loaded",
      arguments: [
        ("/nowhere/film.mp4", MPVError.Reason.missingFile),
        (Clips.garbage, .unsupportedFormat),
        ("-", .forbiddenLocation),
        ("fd://0", .forbiddenLocation),
      ])
    func failure(location: String, reason: MPVError.Reason) async throws {
      let test = try PlayerUnderTest()
      let error = await #expect(throws: MPVError.self) { try await test.player.load(location) }
      #expect(error?.reason == reason)
      // The player still works after the failure.
      try await test.player.load(Clips.film)
      #expect(await test.player.snapshot().isLoaded)
      await test.shutDown()
    }

    @Test("A server that doesn't exist is unreachable")
    func unreachable() async throws {
      let test = try PlayerUnderTest()
      // Port 1 of the loopback interface: no server listens there, and the kernel reports that at once.
      let error = await #expect(throws: MPVError.self) {
        try await test.player.load("http://127.0.0.1:1/film.mp4")
      }
      let isUnreachable = if case .unreachable = error?.reason { true } else { false }
      #expect(isUnreachable, "\(String(describing: error))")
      await test.shutDown()
    }

    @Test("A newer load replaces an older one")
    func superseded() async throws {
      let test = try PlayerUnderTest()
      async let first: Void = test.player.load(Clips.film)
      async let second: Void = test.player.load(Clips.sound)
      var failures: [MPVError.Reason] = []
      do { try await first } catch let error as MPVError { failures.append(error.reason) }
      do { try await second } catch let error as MPVError { failures.append(error.reason) }
      // In either order; both can't win.
      #expect(failures == [.superseded])
      #expect(await test.player.snapshot().isLoaded)
      await test.shutDown()
    }

    @Test("A wrong option is named")
    func options() async throws {
      let unknown = #expect(throws: MPVError.self) {
        _ = try PlayerUnderTest([MPVConfiguration.Option(name: "no-such-thing", value: "1")])
      }
      #expect(unknown?.reason == .unknownOption(name: "no-such-thing"))
      let bad = #expect(throws: MPVError.self) {
        _ = try PlayerUnderTest([MPVConfiguration.Option(name: "volume", value: "loud")])
      }
      #expect(bad?.reason == .badOptionValue(name: "volume", value: "loud"))
      let needless = MPVConfiguration.Option(name: "no-such-thing", value: "1", isOptional: true)
      await (try PlayerUnderTest([needless])).shutDown()
    }

    @Test("An option overrides the user's configuration, which overrides the program's defaults")
    func precedence() async throws {
      let folder = Clips.folder.appendingPathComponent("config")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let text =
        "volume=33\ntitle=mine\nosd-level=2\npulse-latency-hacks=no\nloop-file=inf\nmute=yes\n"
      try Data(text.utf8).write(to: folder.appendingPathComponent("mpv.conf"))
      let player = try MPVPlayer(
        configuration: MPVConfiguration(
          video: .none,
          options: [
            MPVConfiguration.Option(name: "config-dir", value: folder.path),
            MPVConfiguration.Option(name: "ao", value: "null"),
            MPVConfiguration.Option(name: "mute", value: "no"),
          ]))
      #expect(try await player.get("volume").value.double == 33)
      #expect(try await player.get("options/title").value.string == "mine")
      #expect(try await player.get("options/osd-level").value.integer == 2)
      #expect(try await player.get("options/pulse-latency-hacks").value.flag == false)
      #expect(try await player.get("mute").value.flag == false)
      // The group decides the positions, whatever the file contains.
      #expect(try await player.get("options/loop-file").value != .string("inf"))
      await player.shutDown()
    }

    @Test("On PulseAudio mpv asks the server for exact times")
    func pulseTimes() async throws {
      let test = try PlayerUnderTest()
      #expect(try await test.player.get("options/pulse-latency-hacks").value.flag == true)
      await test.shutDown()
    }

    @Test(
      "mpv's scripts that draw on the picture start only where there may be one, or by an option",
      arguments: [
        (MPVConfiguration.VideoMode.none, false, [], false), (.none, true, [], true),
        (.frames, false, [], true),
        (.none, false, [MPVConfiguration.Option(name: "load-stats-overlay", value: "yes")], true),
      ])
    func scripts(
      video: MPVConfiguration.VideoMode, offersFrames: Bool, options: [MPVConfiguration.Option],
      areWanted: Bool
    ) async throws {
      var configuration = MPVConfiguration(
        video: video, noConfig: true,
        options: [MPVConfiguration.Option(name: "ao", value: "null")] + options)
      configuration.offersFrames = offersFrames
      let player = try MPVPlayer(configuration: configuration)
      #expect(try await player.get("options/load-stats-overlay").value.flag == areWanted)
      await player.shutDown()
    }
  }

  @Suite("Commands") struct Commands {
    @Test("A command for another item changes nothing")
    func stale() async throws {
      try await PlayerUnderTest.with(Clips.film, at: 1.0) { test in
        let result = await test.player.seek(
          SeekCommand(
            originator: nil, expectedCurrentItemIdentifier: "another", itemTime: 9.0))
        #expect(result == .superseded)
        #expect(await test.pause() == .completed(itemTime: 1.0))
      }
    }

    @Test("A seek ends paused at the first frame that isn't before its target")
    func seek() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        #expect(await test.seek(to: 4.0) == .completed(itemTime: 4.0))
        #expect(await test.seek(to: 4.013) == .completed(itemTime: 4.04))
        #expect(await test.seek(to: 0.0, buffering: true) == .completed(itemTime: .zero))
      }
    }

    @Test(
      "In a container without an index a seek ends at its target's frame, and isn't foreign",
      arguments: [Clips.transportStream, Clips.programStream])
    func seekWithoutIndex(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        for target in [7.3, 3.9, 12.2, 17.1, 0.5].map(MediaTime.init(seconds:)) {
          guard case .completed(let position?) = await test.seek(to: target) else {
            Issue.record("no seek to \(target)")
            continue
          }
          #expect((position - target).magnitude <= .milliseconds(60), "\(position) for \(target)")
        }
        await test.settleDown()
        let sought = await test.events().filter { if case .userSought = $0 { true } else { false } }
        #expect(sought.isEmpty)
      }
    }

    @Test("A seek beyond the end ends paused at the last frame")
    func beyondEnd() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        guard case .completed(let end?) = await test.seek(to: 4000.0) else {
          Issue.record("no position")
          return
        }
        // If the sound is longer than the picture, mpv may report the end of the sound.
        #expect(end >= 19.96 && end < 20.1)
        #expect(await test.play(from: 25.0, at: .now()) == .completed(itemTime: nil))
        let position = try #require(await test.player.position()?.itemTime)
        #expect(position >= 19.96 && position < 20.1)
        #expect(await test.player.snapshot().isPaused)
      }
    }

    @Test("A seek pauses, and never resumes")
    func seekPauses() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.play(from: 1.0, at: .now())
        #expect(await test.seek(to: 8.0) == .completed(itemTime: 8.0))
        #expect(await test.player.snapshot().isPaused)
        #expect(await test.player.position()?.itemTime == 8.0)
      }
    }

    @Test("A pause returns the frame at which all participants can be paused")
    func pause() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.play(from: 1.0, at: .now())
        await test.sleep(.milliseconds(150))
        guard case .completed(let position?) = await test.pause() else {
          Issue.record("no position")
          return
        }
        #expect(await test.seek(to: position) == .completed(itemTime: position))
      }
    }

    @Test("A pause at any moment of a seek returns the position at which the player stays")
    func pauseDuringSeek() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        for step in 0..<100 {
          let begun = await test.player.transportSerial
          async let seek = test.seek(to: MediaTime(seconds: Double(step % 2 * 8 + 1)))
          while await test.player.transportSerial == begun { await Task.yield() }
          let moment = HostTime.now() + .microseconds(step * 20)
          while HostTime.now() < moment { await Task.yield() }
          guard case .completed(let position?) = await test.pause() else {
            Issue.record("no position")
            continue
          }
          _ = await seek
          await test.settleDown()
          // Something else asks for the position, and waits for the player to come to rest.
          #expect(await test.pause() == .completed(itemTime: position))
        }
      }
    }

    @Test("The player stays paused until a start in the future")
    func future() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        let start = HostTime.now() + .milliseconds(400)
        async let result = test.play(from: 6.0, at: start)
        #expect(await test.snapshot { $0.itemTime == 6.0 && $0.isPaused })
        #expect(await result == .completed(itemTime: nil))
        #expect(HostTime.now() >= start)
      }
    }

    @Test("A newer command ends an older one, and so does cancelling its task")
    func supersedes() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        async let start = test.play(from: 5.0, at: .now() + .seconds(3600))
        #expect(await test.snapshot { $0.itemTime == 5.0 })
        #expect(await test.pause() == .completed(itemTime: 5.0))
        #expect(await start == .superseded)

        let task = Task { await test.play(from: 7.0, at: .now() + .seconds(3600)) }
        #expect(await test.snapshot { $0.itemTime == 7.0 })
        task.cancel()
        #expect(await task.value == .superseded)
        #expect(await test.player.snapshot().isPaused)
      }
    }

    @Test("A late start goes to the line's current position, and a new rate is kept")
    func late() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        let late = HostTime.now() - .seconds(4)
        #expect(await test.play(from: 1.0, at: late) == .completed(itemTime: nil))
        #expect(await test.snapshot { !$0.isPaused && $0.itemTime ?? .zero >= 5.0 })
        let line = PlaybackLine(rate: 1, itemTime: 1.0, hostTime: late)
        let change = HostTime.now() + .milliseconds(100)
        let result = await test.play(
          from: line.itemTime(atHostTime: change), at: change, rate: 1.5)
        #expect(result == .completed(itemTime: nil))
        #expect(await test.player.snapshot().rate == 1.5)
        #expect(await test.player.snapshot().isPaused == false)
      }
    }

    @Test("A speed adjustment isn't a change of the rate, and isn't foreign")
    func nudge() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.play(from: .zero, at: .now())
        for nudge in [1.02, 0.995, 1] { try await test.player.setNudge(nudge) }
        await test.settleDown()
        #expect(await test.player.snapshot().rate == 1)
        #expect(
          await test.events().allSatisfy {
            if case .userChangedRate = $0 { false } else { true }
          })
      }
    }

    @Test("A rate beyond mpv's is refused", arguments: [0.001, 101, -1])
    func badRate(rate: Double) async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        #expect(
          await test.play(from: .zero, at: .now(), rate: rate)
            == .failed(.coordinatedPlaybackNotPossible))
      }
    }

    @Test("A buffering player is paused and ready")
    func buffering() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.play(from: 1.0, at: .now())
        let result = await test.player.buffer(
          BufferingCommand(
            originator: nil, expectedCurrentItemIdentifier: Clips.film, anticipatedPlaybackRate: 1,
            completionDueDate: .now() + .seconds(10)))
        guard case .completed(.some) = result else {
          Issue.record("\(result)")
          return
        }
        #expect(await test.player.snapshot().isPaused)
      }
    }

    @Test("Without an item every command fails, and none waits")
    func empty() async throws {
      let test = try PlayerUnderTest()
      await test.player.setCurrentItemIdentifier("")
      #expect(await test.pause() == .failed(.coordinatedPlaybackNotPossible))
      #expect(await test.seek(to: 1.0) == .failed(.coordinatedPlaybackNotPossible))
      #expect(
        await test.play(from: 1.0, at: .now()) == .failed(.coordinatedPlaybackNotPossible))
      await test.shutDown()
    }
  }
}
