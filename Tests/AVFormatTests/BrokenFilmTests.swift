import AVFormat
import Foundation
import ProcessTesting
import Testing
import Timekeeping

@Suite("Broken films in fragments")
struct BrokenFilmTests {
  private static let films =
    [0, 1, 4, 8].map { FragmentTests.copied[$0] } + SoundConversionTests.films.prefix(2)
    + FragmentTests.foreign.prefix(2)

  /// The number of broken films of each kind.
  private static let rounds = UInt64(20)

  @Test("A broken film is read as far as possible or refused", arguments: films)
  func broken(film: FragmentFilm) throws {
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = try Data(contentsOf: URL(fileURLWithPath: film.path()))
    let file = folder.appendingPathComponent("broken-" + film.name)
    for seed in 0..<Self.rounds {
      try damage(whole, seed).write(to: file)
      do throws(FragmentError) {
        let reader = try FragmentReader(path: file.path, plays: film.plays)
        while let fragment = try reader.next() {
          #expect(fragment.bytes.count <= 16 << 20, "seed \(seed)")
        }
        try reader.seek(to: MediaTime(seconds: 3))
        _ = try reader.next()
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test("The subtitles of a broken film are read as far as possible or refused")
  func subtitles() throws {
    let folder = try URL.newFolder("subtitles")
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = (0..<400).map {
      "\($0)\n00:00:0\($0 / 100),\($0 % 100 + 100) --> 00:00:09,000\nA\n\n"
    }
    let source = folder.appendingPathComponent("a.srt")
    try Data(text.joined().utf8).write(to: source)
    let film = folder.appendingPathComponent("a.mkv")
    try FragmentFilm.ffmpeg(["-i", source.path, "-c:s", "ass", film.path])
    let whole = try Data(contentsOf: film)
    let file = folder.appendingPathComponent("broken.mkv")
    for seed in 0..<Self.rounds * 2 {
      try damage(whole, seed).write(to: file)
      do throws(FragmentError) {
        let reader = try SubtitleReader(path: file.path, track: nil)
        while let cues = try reader.next() { #expect(cues.count <= 200, "seed \(seed)") }
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed)")
      }
    }
  }

  /// Returns a file that ends early, or whose bytes are changed, half of them in the headers.
  private func damage(_ whole: Data, _ seed: UInt64) -> Data {
    var random = Generator(state: seed)
    guard seed % 2 == 0 else { return whole.prefix(.random(in: 0..<whole.count, using: &random)) }
    var bytes = whole
    for _ in 0..<40 {
      let end = Bool.random(using: &random) ? min(2000, bytes.count) : bytes.count
      bytes[.random(in: 0..<end, using: &random)] = .random(in: 0...255, using: &random)
    }
    return bytes
  }

  /// SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }
}
