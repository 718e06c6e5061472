import Foundation
import Testing

/// The permissions of the program's files, and ways to give it an invite in secret.
@Suite("Secrets in files", .serialized)
struct SecretFileTests {
  private let folder: URL

  init() throws {
    folder = try Clips.newFolder("secrets")
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func mode(_ path: String) throws -> Int {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw MatineeProcess.Missing(description: "\(path): errno \(errno)")
    }
    return Int(status.st_mode)
  }

  @Test(
    "An invite's file is readable by its owner only, whatever the umask and an earlier file",
    arguments: [false, true])
  func modes(existedBefore: Bool) async throws {
    let (invite, state) = (path("invite-\(existedBefore)"), path("state-\(existedBefore)"))
    let offsets = state + "/matinee/latency-offsets.json"
    if existedBefore {
      try FileManager.default.createDirectory(
        atPath: state + "/matinee", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o777])
      for file in [invite, offsets] {
        try Data("{\"version\":1,\"devices\":{}}".utf8).write(to: URL(fileURLWithPath: file))
        #expect(chmod(file, 0o666) == 0)
      }
    }
    // The child processes inherit it; no other file is written meanwhile, since the suite is
    // serial.
    let before = umask(0)
    defer { umask(before) }
    let ana = try MatineeProcess(
      [
        "host", "--listen", "127.0.0.1:0", "--invite-file", invite, "--latency-offset", "150",
        try Clips.film.get(),
      ], environment: ["XDG_STATE_HOME": state])
    let text = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    // The file is written once the sound device is known.
    try await MatineeProcess.wait("the offset was never written") {
      (try? String(contentsOfFile: offsets, encoding: .utf8).contains("150")) == true
    }
    #expect(try await ana.quit() == 0)
    #expect(try String(contentsOfFile: invite, encoding: .utf8) == text + "\n")
    #expect(try mode(invite) == Int(S_IFREG) | 0o600)
    #expect(try mode(offsets) == Int(S_IFREG) | 0o600)
    #expect(try mode(state + "/matinee") == Int(S_IFDIR) | 0o700)
  }

  @Test("An invite on the command line disappears from the process list, and so does the film")
  func argument() async throws {
    let (ana, text) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(text, name: "Ben")
    _ = try await ana.next("participant-joined") { $0.string("name") == "Ben" }
    let words = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(ben.id)/cmdline"))
    let secret = String(try #require(text.split(separator: "#").last))
    for hidden in ["matinee://", secret, "mkv"] {
      #expect(words.range(of: Data(hidden.utf8)) == nil)
    }
    for name in ["join", "--name"] { #expect(words.range(of: Data(name.utf8)) != nil) }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("An invite can come from a file or from standard input, and no process list shows it")
  func unseen() async throws {
    let invite = path("invite")
    let film = try Clips.film.get()
    let ana = try MatineeProcess(
      ["host", "--name", "Ana", "--listen", "127.0.0.1:0", "--invite-file", invite, film])
    let text = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")

    let ben = try MatineeProcess(["join", "--invite-file", invite, "--name", "Ben", film])
    _ = try await ana.next("participant-joined") { $0.string("name") == "Ben" }
    _ = try await ben.next("opened")
    let chi = try MatineeProcess(["join", "-", film, "--name", "Chi"])
    // A script's commands follow on the same stream.
    try chi.send("\(text)\nchat hello")
    #expect(try await ana.next("chat").string("text") == "hello")
    for one in [ana, ben, chi] {
      let words = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(one.id)/cmdline"))
      #expect(words.range(of: Data("matinee://".utf8)) == nil)
      #expect(words.range(of: Data("join".utf8)) != nil || one === ana)
    }
    for one in [chi, ben, ana] { #expect(try await one.quit() == 0) }

    #expect(try await MatineeProcess(["join", "--invite-file", path("none")]).exitCode() == 1)
    let empty = try MatineeProcess(["join", "-"])
    try empty.send("not an invite")
    #expect(try await empty.exitCode() == 77)
  }
}
