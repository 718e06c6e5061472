import Foundation
import Testing
import Timekeeping

@testable import MediaLibrary

@Suite("Remembered moments")
struct MomentTests {
  private func moment(_ film: String, _ seconds: Double, _ names: [String]) -> MarkedMoment {
    MarkedMoment(film: film, title: film, position: MediaTime(seconds: seconds), names: names)
  }

  @Test("A moment is listed with its film, and another person who joins it is added")
  func list() async throws {
    let library = try MediaLibrary.inMemory()
    try await library.remember(moment("one", 90, ["Ana", "Ben"]))
    try await library.remember(moment("one", 10, ["Ana", "Ben"]))
    try await library.remember(moment("two", 5, ["Ana", "Chi"]))
    try await library.remember(moment("one", 90, ["Ana", "Ben", "Chi"]))
    let all = try await library.moments(limit: 9)
    #expect(all.map(\.film) == ["one", "one", "two"])
    #expect(all.map(\.position) == [10, 90, 5].map(MediaTime.init(seconds:)))
    #expect(all[1].names == ["Ana", "Ben", "Chi"])
    #expect(try await library.moments(limit: 1).map(\.film) == ["one"])
    #expect(library.keep([1], of: all[0]) == nil)
  }

  @Test("Its picture is a file that only this user can read")
  func picture() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("moments-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (library, _) = try MediaLibrary.open(in: folder)
    let path = try #require(library.keep([0x89, 0x50, 0x4E, 0x47], of: moment("url:../..", 1, [])))
    let folders = URL(fileURLWithPath: path).deletingLastPathComponent()
    #expect(folders.deletingLastPathComponent().path == folder.path && path.hasSuffix(".png"))
    for (file, mode) in [(path, 0o600), (folders.path, 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
    }
  }
}
