import AVFormat
import Foundation
import ProcessTesting
import Testing
import Timekeeping

@Suite("Sound converted for browsers")
struct SoundConversionTests {
  private static let x264 = FragmentTests.x264

  /// Films whose sound no browser plays.
  static let films = [
    film("ac3.mkv", ["-c:a", "ac3"]),
    film("ac3.ts", ["-c:a", "ac3"]),
    film("surround.mkv", ["-c:a", "ac3", "-ac", "6"]),
    film("eac3.mp4", ["-c:a", "eac3"]),
    film("dts.mkv", ["-c:a", "dca", "-strict", "-2"]),
    film("truehd.mkv", ["-c:a", "truehd", "-strict", "-2", "-ar", "96000"]),
    film("pcm.mov", ["-c:a", "pcm_s16le", "-ar", "44100"]),
    film("vorbis.mkv", ["-c:a", "libvorbis"]),
    film("mp2.ts", ["-c:a", "mp2", "-ar", "32000"]),
    film("mono.mkv", ["-c:a", "ac3", "-ac", "1", "-output_ts_offset", "5.3"]),
    film("gap.mkv", ["-af", "aselect='not(between(t,1.7,2.9))'", "-c:a", "ac3"]),
    film("short-gap.mkv", ["-af", "aselect='not(between(t,2.3,2.4))'", "-c:a", "ac3"]),
    FragmentFilm(
      name: "mp3.mp3", arguments: ["-vn", "-c:a", "libmp3lame"], codecs: "mp4a.40.2",
      plays: ["aac"]),
  ]

  private static func film(_ name: String, _ sound: [String]) -> FragmentFilm {
    FragmentFilm(
      name: name, arguments: x264 + sound, codecs: "avc1.64000b,mp4a.40.2", plays: ["avc1", "aac"])
  }

  @Test("Converted sound is at the same times, from the start and after a seek", arguments: films)
  func times(film: FragmentFilm) throws {
    let folder = try URL.newFolder("sound")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try film.path()
    let reader = try FragmentReader(path: path, plays: film.plays)
    #expect(reader.film.isSoundEncoded)
    #expect(reader.film.mime.hasSuffix("/mp4; codecs=\"\(film.codecs)\""))
    let start = reader.film.start.seconds
    let original = try samples(path, folder)
    let whole = try samples(reader.rest().write(in: folder), folder)
    for time in [0.1, 1, 3, 5] {
      try expect(whole, isLike: original, at: start + time)
    }
    #expect(abs(whole.count - original.count) < Self.rate / 10)
    try reader.seek(to: MediaTime(seconds: start + 4.4))
    let fragments = try reader.rest()
    let rest = try samples(fragments.write(in: folder), folder)
    for time in [0.1, 0.6, 1] {
      try expect(rest, isLike: original, at: fragments[1].start.seconds + time)
    }
  }

  private static let rate = 16000

  /// Returns a file's sound from time zero on.
  private func samples(_ path: String, _ folder: URL) throws -> [Float] {
    let file = folder.appendingPathComponent("samples")
    try FragmentFilm.ffmpeg([
      "-copyts", "-i", path, "-vn", "-af", "aresample=\(Self.rate):async=1:first_pts=0",
      "-ac", "1", "-f", "f32le", file.path,
    ])
    return try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Expects the sound of half a second to be within 3 ms of the original's.
  private func expect(
    _ sound: [Float], isLike original: [Float], at time: Double,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let begin = Int(time * Double(Self.rate))
    let length = Self.rate / 2
    let reach = Self.rate / 25
    try #require(begin + length + reach <= original.count, sourceLocation: location)
    try #require(begin + length <= sound.count, sourceLocation: location)
    let window = Array(sound[begin..<begin + length])
    var best: (lag: Int, correlation: Float) = (0, 0)
    for lag in max(-reach, -begin)...reach {
      let correlation = self.correlation(window, original, from: begin + lag)
      if correlation > best.correlation { best = (lag, correlation) }
    }
    let milliseconds = Double(best.lag) * 1000 / Double(Self.rate)
    #expect(abs(milliseconds) < 1, "\(time) s", sourceLocation: location)
    #expect(best.correlation > 0.8, "\(time) s", sourceLocation: location)
  }

  private func correlation(_ window: [Float], _ original: [Float], from begin: Int) -> Float {
    window.withUnsafeBufferPointer { window in
      original.withUnsafeBufferPointer { original in
        var (product, own, other): (Float, Float, Float) = (0, 0, 0)
        var index = 0
        while index < window.count {
          let (a, b) = (window[index], original[begin + index])
          product += a * b
          own += a * a
          other += b * b
          index += 1
        }
        return product / max((own * other).squareRoot(), .leastNormalMagnitude)
      }
    }
  }
}
