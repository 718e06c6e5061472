import Foundation
import ProcessTesting
import Testing

/// Real processes, real libmpv, real relay.
@Suite("A party, end to end", .serialized)
struct PartyTests {
  let film: String

  init() throws { film = try Clips.film.get() }

  func host(
    _ more: [String] = [], film: String? = nil
  ) async throws -> (MatineeProcess, invite: String) {
    let file = Clips.folder.appendingPathComponent("invite-\(UUID().uuidString)").path
    let host = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--invite-file", file, "--name", "Ana"] + more
        + [film ?? self.film])
    let hosting = try await host.next("hosting")
    _ = try await host.next("opened")
    let invite = try String(contentsOfFile: file, encoding: .utf8)
    #expect(invite == hosting.string("invite")! + "\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    return (host, hosting.string("invite")!)
  }

  /// - Parameter more: further arguments, for example copies of other films.
  func join(
    _ invite: String, name: String, film: String? = nil, _ more: [String] = []
  ) async throws -> MatineeProcess {
    let guest = try MatineeProcess(["join", invite, "--name", name, film ?? self.film] + more)
    _ = try await guest.next("joined")
    _ = try await guest.next("opened")
    return guest
  }

  @Test("Host and two joiners play, seek, change speed and pause together")
  func together() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    let second = try MatineeProcess(["join", invite, "--name", "ana", film])
    #expect(try await second.next("joined").string("name") == "ana 2")
    _ = try await second.next("opened")
    let everybody = [ana, ben, second]

    try ana.send("play")
    for one in everybody {
      _ = try await one.next("command") {
        $0.string("command") == "play" && $0.string("by") == "Ana"
      }
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
      }
    }
    try ben.send("seek 60")
    for one in everybody {
      _ = try await one.next("command") {
        $0.string("command") == "seek" && $0.string("by") == "Ben"
      }
      _ = try await one.state {
        $0.string("status") == "playing" && $0.number("playerPosition") ?? 0 >= 60
      }
    }
    try second.send("rate 1.25")
    for one in everybody {
      _ = try await one.next("command") { $0.number("rate") == 1.25 }
      _ = try await one.state { $0.number("rate") == 1.25 }
    }
    try ben.send("pause")
    var places: Set<Double> = []
    for one in everybody {
      _ = try await one.next("command") { $0.string("command") == "pause" }
      let state = try await one.state {
        $0.flag("playerPaused") == true && $0.number("position") == $0.number("playerPosition")
      }
      places.insert(state.number("playerPosition")!)
      #expect(state.roster.count == 3)
      #expect(state.number("uncertaintyMs") != nil)
    }
    #expect(places.count == 1, "all stand on one frame: \(places)")
    for one in everybody { #expect(try await one.quit() == 0) }
  }

  @Test("A late joiner starts at the others' position, and moves no other participant")
  func lateJoiner() async throws {
    let (ana, invite) = try await host()
    try ana.send("seek 30")
    _ = try await ana.next("command") { $0.string("command") == "seek" }
    try ana.send("play")
    _ = try await ana.state { $0.number("playerPosition") ?? 0 > 31 }
    let ben = try await join(invite, name: "Ben")
    let state = try await ben.state {
      $0.flag("playerPaused") == false && $0.number("syncErrorMs") != nil
    }
    #expect(state.number("playerPosition")! > 31)
    #expect(state.number("syncUncertaintyMs")! > 0)
    #expect(state.number("roundTripMs")! > 0)
    #expect((0.75...1.3).contains(state.number("nudge")!))
    // The others learn of it with the next beacon.
    _ = try await ana.state {
      $0.roster.contains {
        $0["name"] as? String == "Ben"
          && ($0["syncUncertaintyMs"] as? NSNumber)?.doubleValue ?? 0 > 0
      }
    }
    let others = try await ana.currentState()
    #expect(others.string("status") == "playing")
    #expect(others.number("playerPosition")! > 31)
    #expect(others.roster.count == 2)
    #expect(try await ben.quit() == 0)
    #expect(try await ana.next("participant-left").flag("announced") == true)
    #expect(try await ana.quit() == 0)
  }

  @Test("Chat arrives cleaned, in order, and once")
  func chat() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben\u{1b}[31m")
    try ben.send("chat hello \u{1b}[2Jthere")
    let event = try await ana.next("chat")
    #expect(event.string("text") == "hello [2Jthere")
    #expect(event.string("from") == "Ben[31m" || event.string("from") == "Ben [31m")
    for number in 0..<20 { try ana.send("chat \(number)") }
    for number in 0..<20 {
      #expect(
        try await ben.next("chat") { $0.string("from") == "Ana" }.string("text") == "\(number)")
    }
    #expect(try await ana.quit() == 0)
    #expect(try await ben.quit() == 0)
  }

  @Test("A new name is seen by all, and stays unique")
  func rename() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    try ben.send("name ANA")
    for one in [ana, ben] {
      _ = try await one.next("renamed") {
        $0.string("name") == "ANA 2" && $0.string("from") == "Ben"
      }
    }
    try ana.send("name Chi")
    _ = try await ben.next("renamed") { $0.string("name") == "Chi" && $0.string("from") == "Ana" }
    let names = try await ben.currentState().roster.compactMap { $0["name"] as? String }
    #expect(Set(names) == ["ANA 2", "Chi"])
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("If only hosts control, a guest's command is refused with a message and has no effect")
  func roles() async throws {
    let (ana, invite) = try await host(["--control", "hosts"])
    let ben = try await join(invite, name: "Ben")
    _ = try await ben.state { $0.flag("mayControl") == false }
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }
    for command in ["pause", "seek 60", "rate 2", "end", "control everyone"] {
      try ben.send(command)
      let refusal = try await ben.next("error")
      #expect(refusal.string("command") == command)
      #expect(refusal.string("message")?.contains("Only hosts of this party") == true)
    }
    // A participant apart from the group may do anything.
    try ben.send("suspend steppedAway")
    try ben.send("pause")
    _ = try await ben.state { $0.flag("playerPaused") == true }
    let state = try await ana.currentState()
    #expect(state.string("status") == "playing" && state.number("position")! < 50)
    try ben.send("resume")
    _ = try await ben.state { $0.flag("playerPaused") == false }

    try ana.send("co-host Ben")
    _ = try await ben.next("rules") { $0.string("by") == "Ana" }
    try ben.send("pause")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == true } }
    // A newcomer takes the state from participants who may control.
    let chi = try await join(invite, name: "Chi")
    _ = try await chi.state {
      $0.flag("mayControl") == false && $0.number("position") ?? 0 > 0
    }
    try ana.send("remove Chi")
    #expect(
      try await chi.next("error").string("message") == "Ana removed you from the party")
    _ = try await ben.next("participant-left") { $0.string("name") == "Chi" }
    for one in [ana, ben, chi] { #expect(try await one.quit() == 0) }
  }

  @Test("A participant with another film gets a notice, and isn't coordinated with the others")
  func anotherFilm() async throws {
    let (ana, invite) = try await host()
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", try Clips.otherFilm.get()])
    _ = try await ben.next("joined")
    let error = try await ben.next("error")
    #expect(error.string("message")?.contains("another film") == true)
    let state = try await ben.currentState()
    #expect(state.string("status") == "empty")
    try ben.send("load \(film)")
    _ = try await ben.next("opened")
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }

  @Test("A participant that vanishes is noticed, and the others continue")
  func vanishing() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    try ana.send("play")
    _ = try await ana.state { $0.flag("playerPaused") == false }
    ben.kill9()
    #expect(try await ana.next("participant-left").flag("announced") == false)
    #expect(try await ana.currentState().string("status") == "playing")
    #expect(try await ana.quit() == 0)
  }

  @Test("No participant loses its state when a relay dies and comes back")
  func relayRestart() async throws {
    var relay = try RelayProcess(port: 0)
    let port = try await relay.port()
    let (ana, invite) = try await host(["--relay", "nats://127.0.0.1:\(port)"])
    let ben = try await join(invite, name: "Ben")
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }
    relay.kill9()
    for one in [ana, ben] { _ = try await one.next("disconnected") }
    // Each of them continues alone, and still obeys commands.
    try ben.send("seek 90")
    _ = try await ben.state { $0.number("playerPosition") ?? 0 >= 90 }
    #expect(try await ana.currentState().number("playerPosition")! < 80)
    relay = try RelayProcess(port: port)
    _ = try await relay.port()
    for one in [ana, ben] { _ = try await one.next("connected") }
    let healed = try await ana.state {
      $0.number("playerPosition") ?? 0 >= 90 && $0.string("status") == "playing"
    }
    #expect(healed.roster.count == 2)
    #expect(try await ana.quit() == 0)
    #expect(try await ben.quit() == 0)
    relay.kill9()
  }

  @Test("A refused or impossible connection has its own exit code")
  func refusals() async throws {
    let (ana, invite) = try await host()
    let damaged = try MatineeProcess(["join", String(invite.dropLast(2)) + "A"])
    #expect(try await damaged.exitCode() == 77)
    let secretless = String(invite.prefix { $0 != "#" }) + "#AAAAAAAAAAAAAAAAAAAAAA"
    let stranger = try MatineeProcess(["join", secretless])
    #expect(try await stranger.exitCode() == 77)
    #expect(try await ana.quit() == 0)
    let late = try MatineeProcess(["join", invite])
    #expect(try await late.exitCode() == 69)
    #expect(try await MatineeProcess(["--no-such-option"]).exitCode() == 64)
    #expect(try await MatineeProcess(["/no/such/film.mkv"]).exitCode() == 1)
  }

  @Test("Ending the film pauses and ends it for all participants, and the party continues")
  func end() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }
    try ben.send("end")
    for one in [ana, ben] { #expect(try await one.next("ended").string("by") == "Ben") }
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == true } }
    try ben.send("chat still here")
    #expect(try await ana.next("chat").string("text") == "still here")
    try ana.send("load \(film)")
    _ = try await ben.next("activity")
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }
    #expect(try await ana.quit() == 0)
    #expect(try await ben.quit() == 0)
  }

  @Test("The end of the film pauses guests who may not control, and leaves alone who watches alone")
  func endForAll() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    let chi = try await join(invite, name: "Chi")
    try chi.send("load-alone \(Clips.otherFilm.get())")
    _ = try await chi.next("opened")
    try ana.send("play")
    try chi.send("play")
    for one in [ana, ben, chi] { _ = try await one.state { $0.flag("playerPaused") == false } }
    try ana.send("control hosts")
    _ = try await ben.state { $0.flag("mayControl") == false }
    try ana.send("end")
    for one in [ana, ben, chi] { _ = try await one.next("ended") }
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == true } }
    #expect(try await chi.currentState().flag("playerPaused") == false)
    #expect(ben.history(of: "warning").isEmpty)
    for one in [chi, ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("The end of the film ends a start that is waited for")
  func endWhileWaiting() async throws {
    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    try ben.send("not-ready")
    _ = try await ana.state {
      $0.roster.contains { ($0["suspensions"] as? [String])?.isEmpty == false }
    }
    let unready = try await ana.currentState().roster.first { $0["name"] as? String == "Ben" }
    #expect(unready?["ready"] as? Bool == false)
    try ana.send("play")
    _ = try await ana.state { $0.string("status") == "waiting" }
    try ana.send("end")
    for one in [ana, ben] {
      _ = try await one.next("ended")
      _ = try await one.state { $0.string("status") == "paused" && $0.flag("playerPaused") == true }
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A participant without the film isn't ready")
  func readiness() async throws {
    let (ana, invite) = try await host()
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    @Sendable func isReady(_ name: String, _ state: MatineeProcess.Event) -> Bool? {
      state.roster.first { $0["name"] as? String == name }?["ready"] as? Bool
    }
    _ = try await ben.next("error")
    _ = try await ana.state { isReady("Ana", $0) == true && isReady("Ben", $0) == false }
    _ = try await ben.state { isReady("Ana", $0) == true && isReady("Ben", $0) == false }
    try ben.send("load \(film)")
    for one in [ana, ben] { _ = try await one.state { isReady("Ben", $0) == true } }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A command without an effect is answered in words, and mpv's words are understood too")
  func answered() async throws {
    let solo = try MatineeProcess([])
    for (line, words) in [
      ("play", "No film is open"), ("release 5", "no preview to end"), ("allow", "no question"),
      ("ready-check", "works in a party only"), ("pause now", "takes no argument"),
    ] {
      try solo.send(line)
      let error = try await solo.next("error") { $0.string("command") == line }
      #expect(error.string("message")?.contains(words) == true, "\(line)")
    }
    try solo.send("add volume -10")
    #expect(try await solo.next("notice").string("message") == "Volume 90 %")
    #expect(try await solo.quit() == 0)

    let (ana, invite) = try await host()
    let ben = try await join(invite, name: "Ben")
    try ana.send("control hosts")
    _ = try await ben.next("rules") { $0.string("control") == "hosts" }
    try ben.send("ready-check")
    #expect(try await ben.next("error").string("message")?.contains("Only hosts") == true)
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("No command of a fast script is lost, and a script may stop in the middle")
  func flood() async throws {
    let player = try MatineeProcess([])
    for number in 0..<2000 { try player.send("rate x\(number)") }
    _ = try await player.next("error") { $0.string("command") == "rate x1999" }
    // In one write: the program may no longer read afterwards.
    try player.send("quit" + String(repeating: "\nstate", count: 100))
    #expect(try await player.exitCode() == 0)
  }

  @Test("Without a party the same commands work, and SIGTERM ends the program in an orderly way")
  func alone() async throws {
    let solo = try MatineeProcess([film])
    _ = try await solo.next("opened")
    _ = try await solo.state { $0.flag("playerPaused") == false }
    try solo.send("seek +20")
    _ = try await solo.state { $0.number("playerPosition") ?? 0 > 20 }
    try solo.send("nonsense")
    #expect(try await solo.next("error").string("message")?.contains("what-happened") == true)
    solo.terminate()
    #expect(try await solo.exitCode() == 0)
  }
}

/// A relay in a process of its own.
final class RelayProcess: Sendable {
  private let process = Process()
  private let output = Pipe()

  init(port: Int) throws {
    process.executableURL = try MatineeProcess.executable
    process.arguments = ["relay", "--listen", "127.0.0.1:\(port)"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit { kill9() }

  var id: pid_t { process.processIdentifier }

  func port() async throws -> Int {
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { done in
      DispatchQueue.global().async {
        done.resume(returning: String(decoding: handle.availableData, as: UTF8.self))
      }
    }
    let digits = line.split(separator: "\n").first?.split(separator: ":").last
    guard let port = digits.flatMap({ Int($0) }) else {
      throw MatineeProcess.Missing(description: "the relay said “\(line)”")
    }
    return port
  }

  func kill9() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitForEnd()
  }
}
