import BrokerTesting
import Foundation
import ProcessTesting
import Testing

/// A host's program while strangers hold connections to its relay.
@Suite("A relay with thousands of idle connections", .serialized)
struct CrowdTests {
  private let film: String

  init() throws { film = try Clips.film.get() }

  @Test(
    "Idle connections keep no newcomer out, don't stop the host's film, and are closed after their deadline",
    arguments: ["-Sn 1024", "-n 1024"])
  func idleConnections(limit: String) async throws {
    let file = Clips.folder.appendingPathComponent("invite-\(UUID().uuidString)").path
    let errors = Clips.folder.appendingPathComponent("errors-\(UUID().uuidString)").path
    let host = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--invite-file", file, "--name", "Ana", film],
      errors: errors, limit: limit)
    let hosting = try await host.next("hosting")
    _ = try await host.next("opened")
    let invite = hosting.string("invite")!
    let port = try #require(hosting.port)
    let before = try OpenDescriptors.count(of: host.id)
    // Started before there are strangers: Foundation can't start a program among thousands of open sockets.
    let guest = try MatineeProcess(["join", "-", "--name", "Ben", film])
    let count = min(5000, OpenDescriptors.raiseLimit() - 600)
    let strangers = try await onThread { try Strangers(count, port: port) }.get()

    try guest.send(invite)
    _ = try await guest.next("joined")
    try host.send("load \(film)")
    _ = try await host.next("opened")
    #expect(try OpenDescriptors.count(of: host.id) < 1000)
    try await onThread { try OpenDescriptors.wait(for: host.id, atMost: before + 16) }.get()
    let said = try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
    #expect(said.count <= 1, "\(said)")
    withExtendedLifetime(strangers) {}
    #expect(try await guest.quit() == 0)
    #expect(try await host.quit() == 0)
  }

  @Test(
    "Too few descriptors, or too little memory or stack, to play a film are reported as an error",
    arguments: [
      ("-n 20", "ulimit -n 1024"), ("-v 524288", "ulimit -v unlimited"),
      ("-v 2000000", "ulimit -v unlimited"), ("-s 64", "ulimit -s 8192"),
      ("-s 200", "ulimit -s 8192"),
    ])
  func tooFew(limit: String, advice: String) async throws {
    let errors = Clips.folder.appendingPathComponent("errors-\(UUID().uuidString)").path
    let process = try MatineeProcess([film], errors: errors, limit: limit)
    #expect(try await process.exitCode() == 1)
    #expect(try String(contentsOfFile: errors, encoding: .utf8).contains(advice))
  }

  @Test("A film plays with just enough memory or stack", arguments: ["-v 2097152", "-s 256"])
  func justEnough(limit: String) async throws {
    let process = try MatineeProcess([film], limit: limit)
    _ = try await process.next("opened")
    #expect(try await process.quit() == 0)
  }

  /// Connections that never send a byte.
  ///
  /// `@unchecked Sendable`: the sockets are only kept open.
  private final class Strangers: @unchecked Sendable {
    private let sockets: [PlainSocket]

    init(_ count: Int, port: Int) throws {
      sockets = try (0..<count).map { number in
        try PlainSocket(port: port, from: number.isMultiple(of: 2) ? "127.0.0.2" : "127.0.0.3")
      }
      _ = try sockets.last!.readInfo()
    }
  }
}
