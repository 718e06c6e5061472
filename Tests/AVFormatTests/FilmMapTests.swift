import AVFormat
import Foundation
import Testing
import Timekeeping

@Suite("The map from a film's times to the offsets in its file")
struct FilmMapTests {
  /// A minute of noise at a steady rate, so that each second takes as many bytes.
  private static func film(_ name: String, _ arguments: [String] = []) throws -> String {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("map-\(UUID().uuidString)-\(name)").path
    try FragmentFilm.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=60,noise=alls=20:allf=t",
        "-c:v", "mpeg2video", "-g", "25", "-b:v", "2M", "-minrate", "2M", "-maxrate", "2M",
        "-bufsize", "500k",
      ] + arguments + [path])
    return path
  }

  @Test(
    "It knows about the places in containers with and without an index",
    arguments: [
      ("film.mp4", []), ("film.mkv", []), ("film.ts", []),
      ("late.ts", ["-output_ts_offset", "36000"]),
    ])
  func containers(_ name: String, _ arguments: [String]) throws {
    let path = try Self.film(name, arguments)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let map = try #require(FilmMap.read(path))
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64)
    for second in stride(from: 2.0, to: 58, by: 4) {
      let wanted = second / 60
      let found = Double(map.offset(at: MediaTime(seconds: second))) / Double(size)
      #expect(abs(found - wanted) < 0.05, "\(name) at \(second): \(found) of the file")
    }
    let copy = try JSONDecoder().decode(FilmMap.self, from: JSONEncoder().encode(map))
    #expect(copy == map)
  }

  @Test("Times outside of the film are its beginning and its end")
  func outside() throws {
    let map = try JSONDecoder().decode(
      FilmMap.self, from: Data(#"{"seconds":[0,10,20],"kibibytes":[0,100,300]}"#.utf8))
    #expect(map.offset(at: MediaTime(seconds: -5)) == 0)
    #expect(map.offset(at: MediaTime(seconds: 15)) == 200 << 10)
    #expect(map.offset(at: MediaTime(seconds: 1e9)) == 300 << 10)
  }

  @Test(
    "A map of another participant that isn't one is refused",
    arguments: [
      #"{"seconds":[],"kibibytes":[]}"#, #"{"seconds":[0,1],"kibibytes":[0]}"#,
      #"{"seconds":[1,0],"kibibytes":[0,1]}"#, #"{"seconds":[0,1],"kibibytes":[-1,1]}"#,
      #"{"seconds":[0,1],"kibibytes":[0,9223372036854775807]}"#, #"{"seconds":[0,1]}"#,
    ])
  func hostile(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FilmMap.self, from: Data(text.utf8))
    }
  }

  @Test("What isn't a film has none")
  func others() {
    #expect(FilmMap.read(#filePath) == nil)
    #expect(FilmMap.read("/nothing.mkv") == nil)
  }
}
