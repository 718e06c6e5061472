import Foundation
import Testing

/// Subtitles from one participant's file, and languages that hold across films, in real programs.
@Suite("Subtitles and languages, end to end", .serialized)
struct SubtitleSharingTests {
  private static func subtitles(_ name: String = "film.fr.srt") throws -> String {
    let file = try Clips.newFolder("subtitles").appendingPathComponent(name)
    let text = "1\n00:00:10,000 --> 00:00:20,000\nBonjour <i>tous</i>{\\an8} & <3\n"
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Waits until a text of mpv's properties expands to another one.
  private static func expect(
    _ text: String, _ expected: String, at process: MatineeProcess
  ) async throws {
    var last = ""
    try await MatineeProcess.wait("\(text) is \(last)") {
      try process.send("mpv show-text \(text)")
      last = try await process.next("notice").string("message") ?? ""
      return last == expected
    }
  }

  @Test("Subtitles with their delay can be chosen by all who have the film, also later")
  func shares() async throws {
    let film = try Clips.stream.get()
    let (ana, invite) = try await MatineeProcess.host(["--share"], film: film)
    let ben = try await MatineeProcess.join(invite, name: "Ben", film: film)
    let chi = try MatineeProcess(["join", invite, "--name", "Chi"])
    _ = try await chi.next("share")
    try chi.send("allow")
    _ = try await chi.next("opened")
    try ben.send("mpv set sub-delay 5")
    try ben.send("share-subtitles \(try Self.subtitles())")
    _ = try await ben.next("notice") { $0.string("message")?.hasPrefix("Everyone can") == true }
    let dee = try await MatineeProcess.join(invite, name: "Dee", film: film)
    let news = "Ben shares subtitles: film.fr.srt. Press j to choose them."
    for one in [ana, chi, dee] {
      _ = try await one.next("warning") { $0.string("message") == news }
      try one.send("next-subtitles")
      _ = try await one.next("notice") {
        $0.string("message") == "Subtitles: French, Ben’s subtitles: film.fr.srt (1 of 1)"
      }
    }
    for (time, text) in [("13", ""), ("22", "Bonjour tous & <3")] {
      try ana.send("seek \(time)")
      for one in [ana, chi, dee] { try await Self.expect("${sub-text}", text, at: one) }
    }

    // They belong to the film, and come back with it.
    try ana.send("load-alone \(try Clips.otherFilm.get())")
    _ = try await ana.next("opened")
    try ana.send("next-subtitles")
    _ = try await ana.next("notice") { $0.string("message") == "No subtitles" }
    try ana.send("resume")
    _ = try await ana.next("opened")
    try await Self.expect("${track-list/2/lang}", "fr", at: ana)
    for one in [dee, chi, ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A user who loads a subtitle file is asked whether the others should have it")
  func asks() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(invite, name: "Ben")
    for (answer, name) in [("deny", "no.srt"), ("allow", "yes.srt")] {
      try ben.send("mpv sub-add \(try Self.subtitles(name))")
      let question = try await ben.next("share")
      #expect(question.string("subtitles") == name && question.fields["to"] as? [String] == ["Ana"])
      try ben.send(answer)
    }
    let news = try await ana.next("warning")
    #expect(news.string("message") == "Ben shares subtitles: yes.srt. Press j to choose them.")
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("Files that aren't subtitles are refused with the reason")
  func refuses() async throws {
    let folder = try Clips.newFolder("bad")
    func file(_ name: String, _ data: Data) throws -> String {
      let file = folder.appendingPathComponent(name)
      try data.write(to: file)
      return file.path
    }
    let cue = Data("1\n00:00:10,000 --> 00:00:20,000\n".utf8)
    let (ana, _) = try await MatineeProcess.host()
    let files = [
      "": "Select subtitles",
      try file("latin.srt", cue + [0xE9, 0x0A]): "it isn't text in UTF-8",
      try file("large.srt", cue + Data(repeating: 65, count: 5 << 20)): "up to 4 MiB",
      try file("notes.txt", Data("Buy milk.\n".utf8)): "it isn't a text file of subtitles",
      try file("list.m3u8", Data("#EXTM3U\n/etc/passwd\n".utf8)):
        "it isn't a text file of subtitles",
      "/dev/zero": "up to 4 MiB", folder.path + "/missing.srt": "no such file",
    ]
    for (file, reason) in files {
      try ana.send("share-subtitles \(file)")
      _ = try await ana.next("error") { $0.string("message")?.contains(reason) == true }
    }
    #expect(try await ana.quit() == 0)
  }

  /// Makes a film with tracks in these languages, in their order.
  private static func film(_ name: String, sound: [String], subtitles: [String]) throws -> String {
    let folder = try Clips.newFolder("languages")
    let (film, text) = (folder.appendingPathComponent(name), try Self.subtitles("a.srt"))
    var arguments = ["-f", "lavfi", "-i", "sine=440:d=30"]
    for _ in subtitles { arguments += ["-i", text] }
    for _ in sound { arguments += ["-map", "0"] }
    for index in subtitles.indices { arguments += ["-map", "\(index + 1)"] }
    for (index, language) in sound.enumerated() {
      arguments += ["-metadata:s:a:\(index)", "language=\(language)"]
    }
    for (index, language) in subtitles.enumerated() {
      arguments += ["-metadata:s:s:\(index)", "language=\(language)"]
    }
    // Other names make other bytes, and so other films.
    try Clips.ffmpeg(arguments + ["-c:a", "flac", "-metadata", "title=\(name)", film.path])
    return film.path
  }

  @Test("Languages of mpv.conf hold for each film, and those chosen by hand for the next ones")
  func languages() async throws {
    let folder = try Clips.newFolder("config")
    let mpv = folder.appendingPathComponent("mpv")
    try FileManager.default.createDirectory(at: mpv, withIntermediateDirectories: true)
    try Data("alang=fre\nslang=ger\n".utf8).write(to: mpv.appendingPathComponent("mpv.conf"))
    let films = [
      try Self.film("1.mkv", sound: ["eng", "fre"], subtitles: ["eng", "ger"]),
      try Self.film("2.mkv", sound: ["fre", "en"], subtitles: ["ger", "en"]),
      try Self.film("3.mkv", sound: ["eng", "fre"], subtitles: ["eng", "ger"]),
      try Self.film("4.mkv", sound: ["spa", "fre"], subtitles: ["ger"]),
    ]
    let ana = try MatineeProcess(
      films, environment: ["XDG_CONFIG_HOME": folder.path], readsConfiguration: true)
    func tracks(_ expected: String) async throws {
      _ = try await ana.next("opened")
      try await Self.expect(
        "${current-tracks/audio/lang},${current-tracks/sub/lang}", expected, at: ana)
    }
    try await tracks("fre,ger")
    try ana.send("next-audio")
    try ana.send("next")
    try await tracks("en,ger")
    try ana.send("next-subtitles")
    try ana.send("next")
    try await tracks("eng,eng")
    try ana.send("mpv set sid no")
    try ana.send("next")
    // There is no English sound: mpv.conf decides again.
    try await tracks("fre,(unavailable)")
    #expect(try await ana.quit() == 0)
  }
}
