import BrokerTesting
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

  private func host(
    _ options: [String] = []
  ) async throws -> (MatineeProcess, address: String, password: String) {
    let host = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", "--syncplay", "127.0.0.1:0"] + options
        + [film])
    let (address, password) = try await door(of: host)
    _ = try await host.next("opened")
    return (host, address, password)
  }

  private func door(of keeper: MatineeProcess) async throws -> (address: String, password: String) {
    let door = try await keeper.next("syncplay")
    let address = try #require((door.fields["addresses"] as? [String])?.first)
    return (address, try #require(door.string("password")))
  }

  private func entry(of name: String, in state: MatineeProcess.Event) -> [String: Any]? {
    state.roster.first { $0["name"] as? String == name }
  }

  /// Waits until the door takes what the client's player does for its user's: it then says how far from the party it plays.
  private func settled(_ name: String, in host: MatineeProcess) async throws {
    _ = try await host.state { entry(of: name, in: $0)?["syncErrorMs"] is NSNumber }
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
    try await settled("Kim", in: host)
    try host.send("pause")
    // A command that crosses one of the party's is lost, as with Syncplay's own server.
    try await MatineeProcess.wait("the client doesn't pause on the party's frame") {
      let state = try await host.currentState()
      guard let own = state.number("playerPosition"), let other = client.position() else {
        return false
      }
      return state.string("status") == "paused" && client.isPaused() && abs(own - other) < 0.1
    }
    client.press(#""seek",40,"absolute+exact""#)
    _ = try await host.next("command") {
      $0.string("command") == "seek" && $0.string("by") == "Kim"
    }
    _ = try await host.state { abs(($0.number("playerPosition") ?? 0) - 40) < 0.05 }
    // This one may cross the party's answer to the seek; then its user has to press again. The client looks at its player
    // every 100 ms, and doesn't see a pause that was shorter.
    try await MatineeProcess.wait("the client can't play") {
      if client.isPaused() {
        try await Task.sleep(for: .milliseconds(300))
        client.press(#""set_property","pause",false"#)
      }
      return host.history(of: "command").contains {
        $0.event.string("command") == "play" && $0.event.string("by") == "Kim"
      }
    }
    _ = try await host.state { ($0.number("playerPosition") ?? 0) > 41 }

    try client.type("ch Hello from Syncplay")
    _ = try await host.next("chat") {
      $0.string("text") == "Hello from Syncplay" && $0.string("from") == "Kim"
    }
    // Its user votes in the chat.
    try host.send("vote rewind")
    try await MatineeProcess.wait("the client isn't asked") {
      client.output.contains("Ana asks: back by 30 s? Write yes or no.")
    }
    try client.type("ch Yes")
    let vote = try await host.next("vote") { $0.flag("accepted") != nil }
    #expect(vote.flag("accepted") == true && vote.number("of") == 2)
    // The vote's session is over five seconds later, the film's isn't.
    try await MatineeProcess.wait("the vote goes on") {
      try host.send("vote rewind")
      return host.history(of: "vote").count { $0.event.flag("accepted") == nil } == 2
    }
    try host.send("seek 30")
    try await MatineeProcess.wait("the client doesn't jump") {
      abs((client.position() ?? 0) - 30) < 1
    }
    client.end()
    _ = try await host.next("participant-left") { $0.string("name") == "Kim" }
    _ = try await host.state { $0.string("status") == "playing" }
  }

  @Test("A client that joins with an earlier film of the list leaves the party where it is")
  func joinsLater() async throws {
    let (host, address, password) = try await host()
    let second = try Clips.otherFilm.get()
    try host.send("enqueue \(second)")
    _ = try await host.next("playlist") { ($0.fields["playlist"] as? [Any])?.count == 2 }
    try host.send("next")
    _ = try await host.next("opened")
    let client = try SyncplayClient("Kim", at: address, password: password, film)
    try await MatineeProcess.wait("the client isn't told") {
      client.output.contains("The party watches") || client.output.contains("isn't as long")
    }
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    // It watches its own film meanwhile.
    client.press(#""set_property","pause",false"#)
    try await MatineeProcess.wait("the client can't play") { (client.position() ?? 0) > 8 }
    let list = try await host.currentState().fields["playlist"] as? [[String: Any]]
    #expect(list?.map { $0["current"] as? Bool } == [false, true])
    #expect(host.history(of: "activity").allSatisfy { $0.event.string("by") == "Ana" })
    client.end()
  }

  @Test("A client that joins at the start, and one whose player freezes, move no one")
  func movesNobody() async throws {
    let (host, address, password) = try await host()
    try host.send("seek 2")
    try host.send("play")
    func reached(_ position: Double) async throws {
      _ = try await host.state { ($0.number("playerPosition") ?? 0) >= position }
    }
    try await reached(3)
    for name in ["Kim", "Lea"] {
      let client = try SyncplayClient(name, at: address, password: password, film)
      try await settled(name, in: host)
      client.end()
      _ = try await host.next("participant-left") { $0.string("name") == name }
    }
    let client = try SyncplayClient("Max", at: address, password: password, film)
    try await settled("Max", in: host)
    client.freeze(true)
    let frozen = try await host.currentState().number("playerPosition") ?? 0
    try await reached(frozen + 5)
    client.freeze(false)
    try await MatineeProcess.wait("the client isn't taken along") {
      guard let own = try await host.currentState().number("playerPosition"),
        let other = client.position()
      else { return false }
      return abs(own - other) < 0.5
    }
    try await reached(frozen + 8)
    #expect(try await host.currentState().string("status") == "playing")
    #expect(host.history(of: "command").allSatisfy { $0.event.string("by") == "Ana" })
    #expect(host.history(of: "command").count == 2)
  }

  @Test("A removed client is shown out, and rules hold for it")
  func obeys() async throws {
    let (host, address, password) = try await host()
    let client = try SyncplayClient("Ana", at: address, password: password, film)
    // Its name is taken.
    _ = try await host.state { entry(of: "Ana_", in: $0)?["item"] is String }
    try host.send("play")
    try await settled("Ana_", in: host)
    try host.send("control hosts")
    _ = try await host.next("rules")
    client.press(#""set_property","pause",true"#)
    try await MatineeProcess.wait("the client isn't taken back") { !client.isPaused() }
    #expect(host.history(of: "command").allSatisfy { $0.event.string("by") == "Ana" })
    try host.send("remove Ana_")
    _ = try await host.state { entry(of: "Ana_", in: $0) == nil }
  }

  @Test("A client that trusts the host's certificate is encrypted, and the roster doesn't warn")
  func encrypted() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let (chain, key) = try certificates.files(names: ["DNS:localhost", "IP:127.0.0.1"])
    let (host, address, password) = try await host(["--tls-certificate", chain, "--tls-key", key])
    let client = try SyncplayClient(
      "Kim", at: address.replacing("127.0.0.1", with: "localhost"), password: password, film,
      trusting: certificates.authority)
    let state = try await host.state { entry(of: "Kim", in: $0)?["item"] is String }
    let door = try #require(entry(of: "Kim", in: state)?["door"] as? [String: Any])
    #expect(door["kind"] as? String == "syncplay" && door["encrypted"] as? Bool == true)
    client.end()

    // The next client gets a certificate that was renewed meanwhile.
    let others = try Certificates()
    defer { others.remove() }
    let renewed = try others.files(names: ["DNS:localhost"])
    for (new, old) in [(renewed.key, key), (renewed.chain, chain)] {
      try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: old))
    }
    let next = try SyncplayClient(
      "Leo", at: address.replacing("127.0.0.1", with: "localhost"), password: password, film,
      trusting: others.authority)
    _ = try await host.state { entry(of: "Leo", in: $0)?["item"] is String }
    next.end()
  }

  @Test("Any member opens a door with a command, and its guests stay when the host's program ends")
  func anotherDoor() async throws {
    let host = try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana", film])
    let invite = try #require(try await host.next("hosting").string("invite"))
    let ben = try MatineeProcess(["join", "--name", "Ben", invite, film])
    _ = try await ben.next("opened")
    _ = try await host.next("invite") { $0.string("invite")?.split(separator: ",").count == 2 }
    try ben.send("syncplay 127.0.0.1:0")
    let (address, password) = try await door(of: ben)
    try ben.send("syncplay")
    #expect(try await door(of: ben) == (address, password), "the open door is shown again")
    let client = try SyncplayClient("Kim", at: address, password: password, film)
    let state = try await host.state { entry(of: "Kim", in: $0)?["item"] is String }
    let door = try #require(entry(of: "Kim", in: state)?["door"] as? [String: Any])
    #expect(door["keeper"] as? String == "Ben" && door["encrypted"] as? Bool == false)
    #expect(try await host.quit() == 0)
    try ben.send("seek 30")
    try await MatineeProcess.wait("the client isn't at the party's position") {
      abs((client.position() ?? 0) - 30) < 0.1
    }
    #expect(ben.history(of: "participant-left").allSatisfy { $0.event.string("name") == "Ana" })
  }
}
