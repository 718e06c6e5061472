import Foundation
import Testing
import WatchTogether

@testable import MatineeCommands

@Suite("The films of the command line")
struct StartedFilmsTests {
  @Test("A missing film doesn't keep the others from playing, and is an error if it is alone")
  func missing() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("films-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let here = folder.appendingPathComponent("Episode 2.mkv")
    try Data("film".utf8).write(to: here)
    let missing = folder.appendingPathComponent("Episode 1.mkv").path

    let films = try Session.Films([missing, here.path, folder.path])
    #expect(films.copies.map(\.title) == ["Episode 2"])
    #expect(films.roots == [here.path, folder.path])
    #expect(films.problems == ["There is no file \(missing)."])
    #expect(throws: FilmError.missing(missing)) { try Session.Films([missing, missing]) }
  }
}
