import Foundation
import ProcessTesting
import Testing
import Timekeeping

@testable import AVFormat

@Suite("A smaller copy in parts")
struct SmallCopyTests {
  private static let films = [
    FragmentFilm(
      name: "parts.mkv", arguments: ["-c:v", "libx264", "-g", "60", "-bf", "3", "-c:a", "ac3"],
      codecs: "", length: 24),
    FragmentFilm(
      name: "parts.mp4", arguments: ["-c:v", "libx264", "-g", "250", "-c:a", "aac"], codecs: "",
      length: 24),
    // Its times begin at 1.4 seconds.
    FragmentFilm(
      name: "parts.ts", arguments: ["-c:v", "mpeg2video", "-g", "25", "-c:a", "mp2"], codecs: "",
      length: 24),
  ]

  /// Writes a copy as a participant reads it.
  private func write(_ copy: SmallCopy, parts: [Int], to file: String) throws {
    var bytes = copy.header
    for part in 0..<copy.layout.parts {
      let content = parts.contains(part) ? try copy.make(part) : []
      let rest = copy.layout.slot - content.count
      bytes += content + SmallCopy.Layout.filler(rest) + Array(repeating: 0, count: rest - 8)
    }
    #expect(bytes.count == copy.layout.size)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
  }

  private func withCopy(
    of film: FragmentFilm, _ quality: ConversionQuality = .init(height: 60, bitRate: 300_000),
    _ body: (SmallCopy, _ file: String) throws -> Void
  ) throws {
    let folder = try URL.newFolder("copy")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(
      try SmallCopy(path: try film.path(), quality), folder.appendingPathComponent("copy.mp4").path)
  }

  @Test("It has the film's pictures at their times, and sound without holes", arguments: films)
  func times(film: FragmentFilm) throws {
    try withCopy(of: film) { copy, file in
      #expect(copy.layout.seconds == 10)
      // A jump to the last part, and back.
      let last = copy.layout.parts - 1
      let early = try copy.make(last)
      try write(copy, parts: Array(0...last), to: file)
      #expect(abs(early.count - (try copy.make(last)).count) < early.count / 20)
      let (frames, wanted) = (try ProbedFrame.all(file), try ProbedFrame.all(try film.path()))
      #expect(frames.count == wanted.count && frames.allSatisfy { $0.height == 60 })
      for (frame, original) in zip(frames, wanted) {
        #expect(abs(frame.time - original.time) < 0.002)
      }
      let sound = try ProbedPacket.all(file, "audio").map(\.pts)
      let original = try ProbedPacket.all(try film.path(), "audio").map(\.pts)
      #expect(abs(sound.first! - original.first!) < 0.05 && abs(sound.last! - original.last!) < 0.1)
      #expect(zip(sound, sound.dropFirst()).allSatisfy { (0.015...0.03).contains($1 - $0) })
    }
  }

  @Test("Parts that were made after jumps continue one another", arguments: films)
  func jumps(film: FragmentFilm) throws {
    try withCopy(of: film) { copy, file in
      let parts = Dictionary(
        uniqueKeysWithValues: try [1, 0, 2].map { ($0, try copy.make($0)) })
      var bytes = copy.header
      for part in 0..<copy.layout.parts {
        let content = try parts[part] ?? copy.make(part)
        let rest = copy.layout.slot - content.count
        bytes += content + SmallCopy.Layout.filler(rest) + Array(repeating: 0, count: rest - 8)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let (frames, wanted) = (try ProbedFrame.all(file), try ProbedFrame.all(try film.path()))
      #expect(frames.count == wanted.count)
      let sound = try ProbedPacket.all(file, "audio").map(\.pts)
      #expect(zip(sound, sound.dropFirst()).allSatisfy { (0...0.08).contains($1 - $0) })
    }
  }

  @Test("A player finds a place in it although the parts before aren't made")
  func index() throws {
    try withCopy(of: Self.films[1]) { copy, file in
      try write(copy, parts: [0, 2], to: file)
      let text = try ChildProcess.run([
        "ffprobe", "-v", "error", "-read_intervals", "22%+1", "-select_streams", "v:0",
        "-show_entries", "format=duration:packet=pts_time", "-of", "csv=p=0", file,
      ])
      let times = text.split(separator: "\n").compactMap { Double($0.split(separator: ",")[0]) }
      #expect(times.contains { abs($0 - 22) < 1.1 })
      #expect(abs(times.last! - 24) < 1)
    }
  }
}
