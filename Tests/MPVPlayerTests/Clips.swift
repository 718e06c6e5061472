import Foundation
import ProcessTesting

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
  /// Containers without an index; a frame in two seconds can be decoded alone.
  static let transportStream = make("stream.ts", pictureAndTone)
  static let programStream = make("stream.mpg", pictureAndTone)
  private static let pictureAndTone = [
    "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-f", "lavfi", "-i",
    "sine=f=440:r=48000:d=20", "-c:v", "mpeg2video", "-g", "50", "-sc_threshold", "1000000000",
    "-c:a", "mp2",
  ]
  /// As it is broadcast: without tables of places.
  static let broadcast = make(
    "broadcast.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=4", "-c:v", "mpeg4", "-f", "matroska", "-live",
      "1",
    ])
  /// The same for 20 s: its header names no duration.
  static let longBroadcast = make(
    "recording.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=20", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=20", "-c:v", "mpeg4", "-g", "50", "-c:a", "aac", "-f", "matroska",
      "-live", "1",
    ])
  /// Pictures without a container, and so without time stamps.
  static let raw = make(
    "raw.h264",
    [
      "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=4", "-c:v", "libx264", "-preset", "ultrafast",
      "-f", "h264",
    ])
  static let sound = make(
    "sound.m4a", ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=20", "-c:a", "aac"])
  /// One picture, with 20 s of sound.
  static let still = make("still.mp4", ["-f", "lavfi", "-i", "testsrc2=s=64x36:r=1:d=1"] + tone)
  /// A picture that ends 15 s before its sound.
  static let shortPicture = make(
    "short-picture.mp4", ["-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=5"] + tone)
  /// A picture every 5 s, with sound.
  static let slides = make(
    "slides.mkv", ["-f", "lavfi", "-i", "testsrc2=s=64x36:r=1/5:d=20"] + tone)
  private static let tone = [
    "-f", "lavfi", "-i", "sine=f=440:r=48000:d=20", "-c:v", "mpeg4", "-c:a", "aac",
  ]
  /// 40 s of sound, to be played at twice its speed.
  static let longSound = make(
    "long.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=40", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=40", "-c:v", "mpeg4", "-g", "50", "-c:a", "pcm_s16le",
    ])
  /// A minute of a pure tone, by frequency.
  static let tones = Dictionary(
    uniqueKeysWithValues: [440, 1000].map { frequency in
      let source = "sine=f=\(frequency):r=48000:d=60,volume=4"
      return (
        frequency,
        make("tone-\(frequency).wav", ["-f", "lavfi", "-i", source, "-c:a", "pcm_f32le"])
      )
    })
  /// 30 s without sound, by frames per second.
  static let silent = Dictionary(
    uniqueKeysWithValues: ["24000/1001", "25", "30", "50", "60"].map { rate in
      let name = "silent-\(rate.replacingOccurrences(of: "/", with: "_")).mkv"
      let source = "testsrc2=s=64x36:r=\(rate):d=30"
      return (rate, make(name, ["-f", "lavfi", "-i", source, "-c:v", "mpeg4", "-g", "50"]))
    })
  /// 28 s without sound, of frames of 20 to 120 ms.
  static let variable = make(
    "variable.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=16", "-vf",
      "settb=1/1000,setpts=floor(70*N-31*cos(1.9*N))", "-fps_mode", "passthrough",
      "-enc_time_base", "1:1000", "-c:v", "mpeg4", "-g", "50",
    ])
  /// Two sound tracks and subtitles.
  static let tracks = make(
    "tracks.mkv",
    [
      "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=10", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=10", "-f", "lavfi", "-i", "sine=f=880:r=48000:d=10", "-i",
      subtitles, "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "mpeg4", "-c:a",
      "aac", "-c:s", "srt", "-metadata:s:a:1", "language=deu",
    ])
  static let subtitles = write(
    "tracks.srt", Data("1\n00:00:01,000 --> 00:00:05,000\n<i>Hello</i>\n".utf8))
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
  /// A file that isn't a film.
  static let garbage: String = {
    var bytes: [UInt8] = []
    var state: UInt32 = 1
    for _ in 0..<65_536 {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes.append(UInt8(state >> 24))
    }
    return write("garbage.mp4", Data(bytes))
  }()

  static let folder = RunFolder.make("matinee-player-tests")

  private static func write(_ name: String, _ data: Data) -> String {
    let url = folder.appendingPathComponent(name)
    try! data.write(to: url)
    return url.path
  }

  /// Returns the due times of the frames of a film with one track, in seconds from its start.
  static func frameTimes(_ location: String) throws -> [Double] {
    let name = "\(location.name).\(UUID().uuidString).times"
    // One line per frame: `stream, dts, pts, duration, size, hash`, in the time base that a line above names.
    let path = folder.appendingPathComponent(name).path
    ffmpeg(["-i", location, "-c", "copy", "-f", "framehash", "-hash", "crc32"], path)
    let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    var base = 1.0
    var times: [Double] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Double($0) }
        base = parts[0] / parts[1]
      } else if !line.hasPrefix("#") {
        let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        if let time = Double(fields[2]) { times.append(time * base) }
      }
    }
    return times.sorted().map { $0 - (times.min() ?? 0) }
  }

  private static func make(_ name: String, _ arguments: [String]) -> String {
    let url = folder.appendingPathComponent(name)
    try! SharedFilm.make(url, named: "player-" + name) { ffmpeg(arguments, $0) }
    return url.path
  }

  private static func ffmpeg(_ arguments: [String], _ path: String) {
    let words = ["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments + [path]
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let spawned = posix_spawnp(&process, "ffmpeg", nil, nil, pointers, environ)
    precondition(spawned == 0, "ffmpeg is not installed: error \(spawned)")
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    precondition(status == 0, "ffmpeg could not make \(path)")
  }
}
