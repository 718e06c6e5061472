import Foundation
import ProcessTesting
import Testing

/// Each command of the README, unchanged, in a clone, a home and a terminal of the test's own.
///
/// Two commands are replaced, since they would take half an hour and the administrator's rights:
/// `swift` builds nothing but names the program that was built with these tests, and `sudo`
/// installs below the test's home.
@Suite("The README's commands", .serialized)
struct ReadmeCommandTests {
  enum Trial: Sendable {
    /// Ends with code 0, and has printed this.
    case prints(String)
    /// Ends with code 0, or with one of these exit codes.
    case ends(Set<Int32>)
    /// Fills a terminal, on which this appears.
    case shows(String)
    /// Joins a party that watches the same film.
    case joins(url: Bool)
    /// Is only planned, by `make -n`, for the reason given.
    case planned(because: String)
    /// Needs more than a terminal; this suite tries it.
    case isTried(by: any Sendable.Type)
  }

  static let trials: [String: Trial] = [
    "git clone URL matinee && cd matinee": .ends([0]),
    "make run": .shows("Lighthouse"),
    "make party": .shows("Ben"),
    "make build && sudo make install": .ends([0]),
    "make build && make install PREFIX=~/.local": .ends([0]),
    "make deb && sudo apt install ./.build/matinee_*.deb":
      .planned(
        because: "it installs a package in the system; make test-deb does that in a bare one"),
    "make deb": .planned(because: "another command makes the package; make test-deb tries it"),
    "make dist": .planned(because: "it compresses for a minute; make test-packages tries it"),
    "make portable-deb": .planned(because: "it compresses, too; make test-packages tries it"),
    "make help": .prints("make party"),
    "make bench-heard": .planned(because: "it records for half an hour"),
    "make bench-seen": .planned(because: "it looks at windows and terminals for five minutes"),
    "make bench-sync": .planned(because: "it measures for an hour"),
    "matinee doctor": .prints("mpv"),
    // 69: this machine may have no microphone. 1: it may be silent.
    "matinee calibrate": .ends([0, 1, 69]),
    "matinee calibrate --pair":
      .isTried(by: CalibrateEndToEndTests.self),
    "matinee host film.mkv": .shows("matinee://"),
    "matinee host film.mkv --share": .isTried(by: SharingTests.self),
    "matinee join film.mkv": .joins(url: false),
    "matinee invite --page party.html": .isTried(by: BrowserPartyTests.self),
    "matinee join": .joins(url: true),
    "matinee film.mkv": .shows("2:05"),
    "matinee host --relay nats://HOST:62846 film.mkv": .shows("matinee://"),
    "matinee host --invite-file invite film.mkv": .shows("matinee://"),
    "matinee --mpv audio-device=NAME film.mkv": .shows("2:05"),
    "matinee --blocks halves --colors 256 film.mkv": .shows("2:05"),
    "matinee --video window film.mkv": .shows("2:05"),
    "man matinee": .prints("MATINEE(1)"),
    "man matinee-party": .prints("MATINEE-PARTY(7)"),
    "man 5 matinee": .prints("MATINEE(5)"),
    "man matinee-relay": .prints("MATINEE-RELAY(1)"),
    "man matinee-headless": .prints("MATINEE-HEADLESS(7)"),
  ]

  @Test("Every command of the README is tried, and no other")
  func complete() throws {
    #expect(Set(try ReadmeText.commands) == Set(Self.trials.keys))
  }

  @Test(
    "Each command does what the README says", .timeLimit(.minutes(3)),
    arguments: trials.keys.sorted())
  func command(_ command: String) async throws {
    let place = try Self.place.get()
    switch try #require(Self.trials[command]) {
    case .prints(let text):
      #expect(try place.run(command).contains(text))
    case .ends(let codes):
      let code = try place.exitCode(command)
      #expect(codes.contains(code), "\(command) ended with \(code)")
    case .planned:
      let make = try #require(command.split(separator: "&").first)
      let plan = try place.run(String(make).replacing("make ", with: "make -n "))
      #expect(!plan.isEmpty)
    case .isTried: break
    case .shows(let text):
      try await shows(text, command, in: place)
    case .joins(let isURL):
      try await joins(command, isURL: isURL, in: place)
    }
  }

  @Test("A program installed without the administrator's rights is found")
  func installed() throws {
    let place = try Self.place.get()
    #expect(try place.exitCode("make build && make install PREFIX=~/.local") == 0)
    #expect(try place.run("~/.local/bin/matinee --version").contains("."))
    #expect(try place.run("~/.local/bin/matinee --help").contains("watch films together"))
    #expect(try place.run("make uninstall PREFIX=~/.local").contains("matinee.1"))
    #expect(try place.exitCode("test -e ~/.local/bin/matinee") == 1)
  }

  private func shows(_ text: String, _ command: String, in place: ReadmePlace) async throws {
    var command = command
    let relay = command.contains("HOST:62846") ? try await RelayProcess() : nil
    if let relay {
      command = command.replacing("HOST:62846", with: "127.0.0.1:\(relay.port)")
    }
    let display = command.contains("--video window") ? try VirtualDisplay() : nil
    try await place.terminal(
      command.replacing("audio-device=NAME", with: "audio-device=null"), display: display?.name
    ) { screen in
      _ = try await screen.row(containing: text)
    }
    if command.contains("--invite-file invite") {
      let invite = try String(
        contentsOf: place.viewer.appendingPathComponent("invite"), encoding: .utf8)
      #expect(invite.hasPrefix("matinee://"))
    }
    withExtendedLifetime((relay, display)) {}
  }

  private func joins(_ command: String, isURL: Bool, in place: ReadmePlace) async throws {
    let server = isURL ? try FilmServer(try Clips.stream.get()) : nil
    let film = server?.url ?? place.viewer.appendingPathComponent("film.mkv").path
    let host = try MatineeProcess([
      "host", "--name", "Ana", "--listen", "127.0.0.1:0", "--no-port-mapping", "--no-announce",
      film,
    ])
    let invite = try #require(try await host.next("hosting").string("invite"))
    let item = try await host.next("opened").string("item")
    try await place.terminal(command) { screen in
      _ = try await screen.row(containing: "Invite:")
      try screen.type(invite + "\n")
      _ = try await host.next("participant-joined")
      if isURL {
        // The test's server is on this machine, from which joining never loads without an answer.
        _ = try await screen.row(containing: "Load the film from")
        try screen.type("y")
      }
      // The guest has the host's film, and is not only a member.
      _ = try await host.state { state in
        state.roster.contains { $0["name"] as? String != "Ana" && $0["item"] as? String == item }
      }
    }
    #expect(try await host.quit() == 0)
    withExtendedLifetime(server) {}
  }

  private static let place = Result { try ReadmePlace() }
}
