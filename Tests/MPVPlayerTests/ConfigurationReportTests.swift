import Foundation
import Testing

@testable import MPVPlayer

@Suite("The user's mpv configuration", .serialized)
struct ConfigurationReportTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("configuration-\(UUID().uuidString.prefix(8))")

  private func write(_ text: String, to name: String) throws {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func player(_ options: [(String, String)] = []) throws -> MPVPlayer {
    let all = [("config-dir", folder.path), ("ao", "null")] + options
    return try MPVPlayer(
      configuration: MPVConfiguration(
        video: .none, options: all.map { MPVConfiguration.Option(name: $0.0, value: $0.1) }))
  }

  private func report(_ options: [(String, String)] = []) async throws -> ConfigurationReport {
    let player = try player(options)
    defer { Task { await player.shutDown() } }
    for await event in player.events {
      if case .configured(let report) = event { return report }
    }
    throw CancellationError()
  }

  @Test("Errors in mpv.conf and in scripts are reported, each once, wherever they are")
  func problems() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(
      """
      no-such-thing=3
      volume=loud
      these are no words
      include=\(folder.path)/missing.conf
      profile=quiet
      [quiet]
      nor-this=1
      mute=yes
      """, to: "mpv.conf")
    try write("error('boom')", to: "scripts/broken.lua")
    try write("no script", to: "scripts/readme.txt")
    let problems = try await report().problems
    let expected = [
      "mpv.conf:1: no-such-thing=3 (option not found)", "mpv.conf:2: volume=loud (",
      "mpv.conf:3: ", "mpv.conf:7: nor-this=1 (option not found)", "missing.conf: No such file",
      "readme.txt", "broken: Lua error: ",
    ]
    #expect(problems.count == expected.count, "\(problems)")
    for text in expected { #expect(problems.contains { $0.contains(text) }, "\(text)") }
  }

  @Test("Options that a group's playback overrides are reported, and others aren't")
  func overridden() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(
      """
      speed=1.5
      loop-file=inf
      hr-seek=yes
      keep-open=no
      end=12
      save-position-on-quit
      volume=40
      pause=yes
      profile=calm
      [calm]
      pause=no
      start=3
      """, to: "mpv.conf")
    let report = try await report([("length", "4"), ("speed", "1"), ("keep-open", "no")])
    #expect(report.problems == [])
    #expect(
      report.overridden == ["loop-file", "end", "save-position-on-quit", "length"])
  }

  @Test("A configuration without errors yields an empty report")
  func nothing() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("volume=40\nhwdec=auto\nspeed=1\nstart=none\n", to: "mpv.conf")
    let report = try await report()
    #expect(report.problems + report.overridden == [])
  }

  @Test("Options have all names that they have on mpv's command line")
  func names() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("title=mine\n[quiet]\nvolume=17\nosd-level=2\n", to: "mpv.conf")
    try write("title=included\nprofile=inner\n[inner]\nvolume=18\n", to: "more.conf")
    try write("mp.set_property('user-agent', 'scripted')", to: "own.lua")
    let player = try player([
      ("profile", "quiet"), ("include", folder.path + "/more.conf"),
      ("script", folder.path + "/own.lua"), ("sub-file", "a"), ("sub-file", "b, c"),
      ("audio-file", "d"), ("external-file", "e"), ("glsl-shader", "f"), ("sub-files-append", "g"),
      ("loop", "no"), ("no-osd-bar", ""),
    ])
    for await event in player.events {
      if case .configured(let report) = event {
        #expect(report.problems == [])
        break
      }
    }
    func list(_ name: String) async throws -> [String] {
      (try await player.get("options/" + name).value.array ?? []).compactMap(\.string)
    }
    #expect(try await list("sub-files") == ["a", "b, c", "g"])
    #expect(try await list("audio-files") == ["d"])
    #expect(try await list("external-files") == ["e"])
    #expect(try await list("glsl-shaders") == ["f"])
    #expect(try await player.get("options/volume").value.double == 18)
    #expect(try await player.get("options/title").value.string == "included")
    #expect(try await player.get("options/osd-level").value.integer == 2)
    #expect(try await player.get("options/osd-bar").value.flag == false)
    #expect(try await player.get("options/user-agent").value.string == "scripted")
    await player.shutDown()
  }

  @Test("mpv prints nothing, whatever its configuration wants")
  func silent() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("terminal=yes\nmsg-level=all=v\nno-such-thing=1\n", to: "mpv.conf")
    try write("error('boom')", to: "scripts/broken.lua")
    let output = try MemoryFile()
    let descriptor = open(output.path, O_WRONLY | O_CLOEXEC)
    let saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    dup2(descriptor, STDOUT_FILENO)
    let report = try? await report()
    dup2(saved, STDOUT_FILENO)
    close(saved)
    close(descriptor)
    #expect(report?.problems.count == 2)
    #expect(String(decoding: output.bytes, as: UTF8.self) == "")
  }
}
