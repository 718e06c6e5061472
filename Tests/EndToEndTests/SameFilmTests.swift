import Foundation
import Synchronization
import Testing

/// Films of one content as a file and on a server, in real programs.
@Suite("The same film as a file and on a server, end to end", .serialized)
struct SameFilmTests {
  /// The requests that a server got.
  private final class Requests: Sendable {
    private let ranges = Mutex<[String]>([])

    func add(_ range: String) { ranges.withLock { $0.append(range) } }

    /// The number of all requests, and of those for the whole rest of the film.
    var counts: (all: Int, open: Int) {
      ranges.withLock { all in (all.count, all.count { $0.hasSuffix("-") }) }
    }
  }

  /// Serves a file with ranges.
  private static func serve(
    _ file: String, _ requests: Requests
  ) throws -> (url: String, listener: HTTPListener) {
    let film = try Data(contentsOf: URL(fileURLWithPath: file))
    let listener = try HTTPListener { request in
      let range = request.fields["range"] ?? "bytes=0-"
      requests.add(range)
      let bounds = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
      let part = bounds[0]..<min(film.count, bounds.count > 1 ? bounds[1] + 1 : film.count)
      let head =
        "HTTP/1.1 206 Partial Content\r\nContent-Type: video/mp4\r\nAccept-Ranges: bytes\r\n"
        + "Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(film.count)\r\n"
        + "Content-Length: \(part.count)\r\nConnection: close\r\n\r\n"
      request.send(Data(head.utf8) + film[part])
    }
    return ("http://127.0.0.1:\(listener.port)/film.mp4", listener)
  }

  /// Returns whether a program has a file open, as its player does for a whole film.
  private static func hasOpen(_ path: String, _ process: MatineeProcess) throws -> Bool {
    let folder = "/proc/\(process.id)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)) == path
    }
  }

  @Test("A guest with the file of a stream watches the file, once its server may be asked")
  func file() async throws {
    let film = try Clips.stream.get()
    let requests = Requests()
    let (url, listener) = try Self.serve(film, requests)
    let folder = try Clips.newFolder("same")
    let copy = folder.appendingPathComponent("mine.mp4").path
    try FileManager.default.copyItem(atPath: film, toPath: copy)
    let (ana, invite) = try await MatineeProcess.host(film: url)
    let before = requests.counts

    let ben = try MatineeProcess(["join", invite, "--name", "Ben", copy])
    _ = try await ben.next("confirm")
    #expect(requests.counts.all == before.all, "the user hasn't agreed to the server")
    try ben.send("allow")
    _ = try await ben.next("opened")
    #expect(try Self.hasOpen(copy, ben))
    #expect(requests.counts.all == before.all + 3 && requests.counts.open == before.open)
    try ana.send("play")
    for one in [ana, ben] {
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
          && ($0.fields["suspensions"] as? [String]) == []
      }
    }

    // Another film of the same size isn't it.
    let other = folder.appendingPathComponent("other.mp4").path
    var bytes = try Data(contentsOf: URL(fileURLWithPath: film))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: other))
    let chi = try MatineeProcess(["join", invite, "--name", "Chi", other])
    try await chi.agree()
    _ = try await chi.next("opened")
    // Until then the file is compared.
    _ = try await chi.next("warning") { $0.string("message")?.contains("same-film") == true }
    #expect(try !Self.hasOpen(other, chi))
    try chi.send("same-film \(other)")
    try await MatineeProcess.wait("the file isn't opened") { try Self.hasOpen(other, chi) }

    // The question is answered without the server.
    let after = requests.counts
    let dan = try MatineeProcess(["join", invite, "--name", "Dan", other])
    #expect(try await dan.next("confirm").string("copy") == other)
    try dan.send("same-film \(other)")
    _ = try await dan.next("opened")
    #expect(try Self.hasOpen(other, dan))
    #expect(requests.counts == after)
    for one in [dan, chi, ben, ana] { #expect(try await one.quit() == 0) }
    withExtendedLifetime(listener) {}
  }

  @Test("A guest who names the stream of a file watches the stream")
  func stream() async throws {
    let film = try Clips.stream.get()
    let requests = Requests()
    let (url, listener) = try Self.serve(film, requests)
    let (ana, invite) = try await MatineeProcess.host(film: film)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", url])
    _ = try await ben.next("opened")
    #expect(requests.counts.open > 0)
    try ana.send("play")
    for one in [ana, ben] {
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
          && ($0.fields["suspensions"] as? [String]) == []
      }
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
    withExtendedLifetime(listener) {}
  }
}
