import Foundation
import Testing

@testable import MPVPlayer

/// Two players with one configuration, as for a trailer before a film.
@Suite("A second player with the same configuration", .serialized)
struct SecondPlayerTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("second-\(UUID().uuidString.prefix(8))")

  private var socket: String { folder.path + "/socket" }
  private var log: String { folder.path + "/log" }

  /// - Parameter inFile: true to name the socket and the files in `mpv.conf`, with a profile that names them again.
  private func configuration(inFile: Bool) throws -> MPVConfiguration {
    let owned = [
      ("input-ipc-server", socket), ("log-file", log), ("dump-stats", folder.path + "/stats"),
      ("stream-record", folder.path + "/record.mkv"),
    ]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let lines = owned.map { "\($0.0)=\($0.1)" }.joined(separator: "\n")
    try Data("\(lines)\nvolume=41\n[quiet]\n\(lines)\nmute=yes\n".utf8)
      .write(to: folder.appendingPathComponent("mpv.conf"))
    var options = [("config-dir", folder.path), ("ao", "null")]
    options += inFile ? [("profile", "quiet")] : owned
    return MPVConfiguration(
      video: .none, noConfig: !inFile,
      options: options.map { MPVConfiguration.Option(name: $0.0, value: $0.1) })
  }

  @Test("It takes neither the first one's socket nor its files", arguments: [true, false])
  func owned(inFile: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = try configuration(inFile: inFile)
    let first = try MPVPlayer(configuration: configuration)
    let ipc = try IPCClient(path: socket)
    let kept = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
    configuration.isSecondary = true
    let second = try MPVPlayer(configuration: configuration)
    try await second.load(Clips.film)
    // The rest of the configuration applies to both.
    if inFile {
      #expect(await second.snapshot().volume == 41)
      #expect(await second.snapshot().isMuted)
    }
    #expect(try IPCClient(path: socket, within: 1).text("config-dir") == folder.path)
    #expect(try IPCClient(path: socket, within: 1).text("path") == nil, "the first one answers")
    await second.shutDown()
    #expect(try IPCClient(path: socket, within: 1).text("config-dir") == folder.path)
    #expect(try ipc.text("config-dir") == folder.path)
    let left = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
    #expect(left == kept)
    await first.shutDown()
  }
}
