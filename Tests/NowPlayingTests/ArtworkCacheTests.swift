import Foundation
import NowPlaying
import Testing

@Suite("Artwork as files")
struct ArtworkCacheTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("artwork-\(UUID().uuidString)/inside")
  private let jpeg = Data([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("A picture is kept for its user alone, and found again")
  func kept() throws {
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    let cache = ArtworkCache(folder: folder)
    #expect(cache.url(for: "film") == nil)
    let url = try cache.store(jpeg, as: "film")
    #expect(url.lastPathComponent == "film.jpg")
    #expect(cache.url(for: "film") == url)
    #expect(try Data(contentsOf: url) == jpeg)
    #expect(try mode(url.path) == 0o600)
    #expect(try mode(folder.path) == 0o700)
  }

  @Test("The number of pictures is limited: the last used ones stay")
  func bounded() throws {
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    let cache = ArtworkCache(folder: folder, limit: 3)
    for number in 0..<5 {
      let url = try cache.store(jpeg, as: "film\(number)")
      // At different times in the file system's resolution.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(1000 + number))],
        ofItemAtPath: url.path)
      _ = number == 2 ? cache.url(for: "film0") : nil
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["film0.jpg", "film3.jpg", "film4.jpg"])
  }

  @Test("Data that is no picture isn't kept")
  func noPicture() {
    let cache = ArtworkCache(folder: folder)
    #expect(throws: ArtworkCache.Failure.self) { try cache.store(Data("hello".utf8), as: "x") }
    #expect(throws: ArtworkCache.Failure.self) {
      try cache.store(jpeg + Data(count: ArtworkCache.sizeLimit), as: "x")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
