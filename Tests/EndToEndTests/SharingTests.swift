import Foundation
import ProcessTesting
import Testing

/// Films from one participant's copy, in real programs.
@Suite("Sharing a film, end to end", .serialized)
struct SharingTests {
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
    for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    try ben.send("seek 12")
    for one in [ana, ben] {
      _ = try await one.state { $0.isInStep && $0.number("playerPosition") ?? 0 > 12 }
    }
    // The owner sees how much the friend has.
    _ = try await ana.state { $0.arrivedPercent(of: "Ben") ?? 0 > 0 }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A smaller copy plays in step while it is encoded, from where the party is")
  func smaller() async throws {
    let folder = try Clips.newFolder("smaller")
    let film = folder.appendingPathComponent("large.mkv").path
    // A small picture that is encoded quickly, sound that isn't copied, and a track that makes the file large.
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x90:r=10:d=100", "-f", "lavfi", "-i", "sine=440:d=100",
      "-map", "0:v", "-map", "1:a", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast",
      "-c:a:0", "ac3", "-c:a:1", "pcm_s16le", "-ar", "48000", "-ac", "2", film,
    ])
    let (ana, invite) = try await MatineeProcess.host(["--share-quality", "480p"], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    let question = try await ben.next("share")
    #expect(question.string("quality") == "480p")
    try ben.send("allow")
    _ = try await ben.next("opened")
    // The part at the party's position comes before those that precede it.
    try ana.send("seek 60")
    _ = try await ben.state {
      $0.string("status") == "paused" && abs(($0.number("playerPosition") ?? 0) - 60) < 0.1
    }
    // An encoder that is slower than the film, on a busy machine, isn't what is tried here.
    _ = try await ben.state { $0.arrivedPercent(of: "Ben") ?? 0 >= 30 }
    try ana.send("play")
    for one in [ana, ben] {
      _ = try await one.state { $0.isInStep && $0.number("playerPosition") ?? 0 > 60 }
    }
    // The file itself comes in the copy's place, and the other way round.
    for quality in ["", " 480p"] {
      try ana.send("pause")
      try ana.send("seek 25")
      try ana.send("share" + quality)
      _ = try await ben.next("opened")
      _ = try await ben.state { $0.arrivedPercent(of: "Ben") ?? 0 >= 30 }
      try ana.send("play")
      for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    }
    try ben.send("keep \(folder.path)")
    let notice = try await ben.next("notice") {
      $0.string("message")?.hasPrefix("The film is kept: ") == true
    }
    let kept = try #require(notice.string("message")?.split(separator: ": ").last)
    let pictures = try ChildProcess.run([
      "ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries",
      "stream=height,nb_read_packets", "-of", "csv=p=0", String(kept),
    ])
    #expect(pictures.hasPrefix("90,1000"))
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
    _ = try await ben.next("notice") {
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
    for one in [ben, chi] { _ = try await one.state(where: \.isInStep) }
    for one in [chi, ben] { #expect(try await one.quit() == 0) }
  }

  @Test(
    "After one yes the films of a list follow each other, and are kept in the folder that was asked for"
  )
  func series() async throws {
    let folder = try Clips.newFolder("kept")
    let films = [try Clips.stream.get(), try Clips.otherFilm.get()]
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: films[0])
    try ana.send("enqueue \(films[1])")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", "--keep", folder.path])
    _ = try await ben.next("share")
    try ben.send("allow")
    _ = try await ben.next("opened")
    _ = try await ben.next("notice")
    try ana.send("next")
    _ = try await ben.next("opened")
    _ = try await ben.next("notice")
    for film in films.map(URL.init(fileURLWithPath:)) {
      let kept = folder.appendingPathComponent(film.lastPathComponent)
      #expect(try Data(contentsOf: kept) == Data(contentsOf: film))
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test(
    "Containers of all kinds are played while they arrive",
    arguments: [
      "index at the end.mp4", "no index.mkv", "stream.ts", "forty attachments.mkv",
    ])
  func containers(_ name: String) async throws {
    let folder = try Clips.newFolder("container")
    let film = folder.appendingPathComponent(name).path
    var options = ["-c", "copy"]
    switch name {
    case "no index.mkv": options += ["-live", "1"]
    case "forty attachments.mkv":
      let font = folder.appendingPathComponent("font.ttf")
      try Data(repeating: 7, count: 50_000).write(to: font)
      for number in 2..<42 {
        options += ["-attach", font.path, "-metadata:s:\(number)", "mimetype=font/ttf"]
      }
    default: break
    }
    try Clips.ffmpeg(["-i", try Clips.film.get()] + options + [film])
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    _ = try await ben.next("share")
    try ben.send("allow")
    _ = try await ben.next("opened")
    try ana.send("seek 70")
    try ana.send("play")
    for one in [ana, ben] {
      _ = try await one.state { $0.isInStep && $0.number("playerPosition") ?? 0 > 70 }
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
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
