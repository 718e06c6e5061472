import Foundation
import ProcessTesting
import Testing

/// Friends with Syncplay's own client, driving a real mpv.
@Suite(
  "Guests with Syncplay", .serialized,
  .enabled(if: SyncplayClient.isInstalled, "syncplay is not installed: apt-get install syncplay"))
struct SyncplayPartyTests {
  private let film: String

  init() throws { film = try PageGuest.film.get() }

  private func host() async throws -> (MatineeProcess, address: String, password: String) {
    let host = try MatineeProcess([
      "host", "--listen", "127.0.0.1:0", "--name", "Ana", "--syncplay", "127.0.0.1:0", film,
    ])
    let door = try await host.next("syncplay")
    let address = try #require((door.fields["addresses"] as? [String])?.first)
    _ = try await host.next("opened")
    return (host, address, try #require(door.string("password")))
  }

  private func entry(of name: String, in state: MatineeProcess.Event) -> [String: Any]? {
    state.roster.first { $0["name"] as? String == name }
  }

  @Test("Debian's client joins with its copy at the party's position, and commands go both ways")
  func takesPart() async throws {
    let (host, address, password) = try await host()
    try host.send("seek 20")
    let client = try SyncplayClient("Kim", at: address, password: password, film)
    let state = try await host.state { entry(of: "Kim", in: $0)?["item"] is String }
    let door = try #require(entry(of: "Kim", in: state)?["door"] as? [String: Any])
    #expect(door["kind"] as? String == "syncplay" && door["keeper"] as? String == "Ana")
    try await MatineeProcess.wait("the client isn't at the party's position") {
      abs((client.position() ?? 0) - 20) < 0.1
    }
    // Its player began at the start of its copy.
    #expect(host.history(of: "command").allSatisfy { $0.event.string("by") == "Ana" })

    try host.send("play")
    try await MatineeProcess.wait("the client doesn't play along") {
      let state = try await host.currentState()
      guard let own = state.number("playerPosition"), let other = client.position() else {
        return false
      }
      return own > 21 && !client.isPaused() && abs(own - other) < 0.3
    }
    try host.send("pause")
    try await MatineeProcess.wait("the client doesn't pause") { client.isPaused() }
    // A command that crosses one of the party's is lost, as with Syncplay's own server.
    try await MatineeProcess.wait("the client's jump isn't the party's") {
      client.press(#""seek",40,"absolute+exact""#)
      try await Task.sleep(for: .seconds(1))
      return host.history(of: "command").contains {
        $0.event.string("command") == "seek" && $0.event.string("by") == "Kim"
      }
    }
    _ = try await host.state { abs(($0.number("playerPosition") ?? 0) - 40) < 0.05 }
    client.press(#""set_property","pause",false"#)
    _ = try await host.next("command") {
      $0.string("command") == "play" && $0.string("by") == "Kim"
    }
    _ = try await host.state { ($0.number("playerPosition") ?? 0) > 41 }

    try client.type("ch Hello from Syncplay")
    _ = try await host.next("chat") {
      $0.string("text") == "Hello from Syncplay" && $0.string("from") == "Kim"
    }
    client.end()
    _ = try await host.next("participant-left") { $0.string("name") == "Kim" }
    _ = try await host.state { $0.string("status") == "playing" }
  }

  @Test("A removed client is shown out, and rules hold for it")
  func obeys() async throws {
    let (host, address, password) = try await host()
    let client = try SyncplayClient("Ana", at: address, password: password, film)
    // Its name is taken.
    _ = try await host.state { entry(of: "Ana_", in: $0)?["item"] is String }
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    try host.send("control hosts")
    _ = try await host.next("rules")
    // Once it is certain that its player has settled.
    try await Task.sleep(for: .seconds(4))
    client.press(#""set_property","pause",false"#)
    try await MatineeProcess.wait("the client isn't taken back") {
      try await Task.sleep(for: .milliseconds(300))
      return client.isPaused()
    }
    #expect(host.history(of: "command").isEmpty)
    try host.send("remove Ana_")
    _ = try await host.state { entry(of: "Ana_", in: $0) == nil }
  }
}
