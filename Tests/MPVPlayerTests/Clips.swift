import Foundation

/// Films for the tests, made with ffmpeg once per run.
enum Clips {
  /// 20 s, 320×180, 25 frames a second, with a tone.
  static let film = make(
    "film.mp4",
    [
      "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=20", "-c:v", "mpeg4", "-g", "50", "-c:a", "aac", "-metadata",
      "title=A test film",
    ])
  static let silentFilm = make(
    "silent.mp4",
    ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-c:v", "mpeg4", "-g", "50"])
  static let sound = make(
    "sound.m4a", ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=20", "-c:a", "aac"])
  /// Two sound tracks and subtitles.
  static let tracks = make(
    "tracks.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=10", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=10", "-f", "lavfi", "-i", "sine=f=880:r=48000:d=10", "-i",
      subtitles, "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "mpeg4", "-c:a",
      "aac", "-c:s", "srt", "-metadata:s:a:1", "language=deu",
    ])
  private static let subtitles = write(
    "tracks.srt", Data("1\n00:00:01,000 --> 00:00:05,000\nHello\n".utf8))
  /// A film of 20 s of which the second half is missing.
  static let cutOff: String = {
    let whole = make(
      "whole.mkv",
      [
        "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-f", "lavfi", "-i",
        "sine=f=440:r=48000:d=20", "-c:v", "mpeg4", "-c:a", "aac",
      ])
    let data = FileManager.default.contents(atPath: whole)!
    return write("cutoff.mkv", data.prefix(data.count / 2))
  }()
  /// No film at all.
  static let garbage: String = {
    var bytes: [UInt8] = []
    var state: UInt32 = 1
    for _ in 0..<65_536 {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes.append(UInt8(state >> 24))
    }
    return write("garbage.mp4", Data(bytes))
  }()

  /// Of this run; removed at the end of the process.
  static let folder: URL = {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-player-tests-\(ProcessInfo.processInfo.processIdentifier)")
    try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folderToRemove = url.path
    atexit { try? FileManager.default.removeItem(atPath: folderToRemove) }
    return url
  }()

  private static func write(_ name: String, _ data: Data) -> String {
    let url = folder.appendingPathComponent(name)
    try! data.write(to: url)
    return url.path
  }

  private static func make(_ name: String, _ arguments: [String]) -> String {
    let url = folder.appendingPathComponent(name)
    let words = ["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments + [url.path]
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let spawned = posix_spawnp(&process, "ffmpeg", nil, nil, pointers, environ)
    precondition(spawned == 0, "ffmpeg is not installed: error \(spawned)")
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    precondition(status == 0, "ffmpeg could not make \(name)")
    return url.path
  }
}

/// Written once, before the handler that reads it can run.
private nonisolated(unsafe) var folderToRemove = ""
