import Foundation
import Testing
import WatchTogether

/// The digests were computed by other programs (`sha256sum`), from the description of the fingerprint.
@Suite("The identifiers of films")
struct FilmIdentifierTests {
  @Test(
    "A file's fingerprint is the digest of its size and three samples",
    arguments: [
      (3, "sha256:119459d8e273db4f56694bf6ca954933491b7b81414ebdd23888b36b0c1ac984"),
      (300_000, "sha256:0da29fc4ba1768491af4f23d092ac456b85035c4b4f91d875029a1a45fe6b238"),
      (1_000_003, "sha256:2a749eb806da2b1bc02eac5da594f95739d38b125ae8f71ff3a85ea764bd1354"),
    ])
  func fingerprint(size: Int, digest: String) throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("film-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000 + $0) }).write(to: file)
    #expect(try FilmIdentifier.ofFile(file.path) == digest)
  }

  @Test("A stream's identifier is its URL, and an item's names the entry")
  func items() {
    let stream = FilmIdentifier.ofStream("https://films.example.org/orbits.mkv")
    #expect(stream == "url:https://films.example.org/orbits.mkv")
    #expect(FilmIdentifier.item(stream, entry: 0xab12) == "e0000ab12:" + stream)
    #expect(FilmIdentifier.item(stream, entry: nil) == stream)
    #expect(FilmIdentifier.film(ofItem: "e0000ab12:" + stream) == stream)
    #expect(FilmIdentifier.film(ofItem: stream) == stream)
    #expect(FilmIdentifier.film(ofItem: "e0000ab1:short") == "e0000ab1:short")
  }

  @Test("A long URL's identifier is its digest, so that an item can name it")
  func longURL() {
    let stream = FilmIdentifier.ofStream(
      "https://films.example.org/" + String(repeating: "x", count: 900))
    #expect(
      stream
        == "url:sha256:f63daffbfb2134904b6b2a8d321c87a97f53f6962ec632e47cbe84bb7e29ffa1")
  }

  @Test("A path without a film is refused with the reason")
  func refusals() {
    let missing = "/nowhere/film.mkv"
    #expect(throws: FilmError.missing(missing)) { try FilmIdentifier.ofFile(missing) }
    #expect(throws: FilmError.folder("/tmp")) { try FilmIdentifier.ofFile("/tmp") }
    #expect(throws: FilmError.special("/dev/null")) { try FilmIdentifier.ofFile("/dev/null") }
  }
}
