import Foundation
import ProcessTesting
import Testing

/// Parties of whole programs in homes behind routers, who meet at a relay on the internet.
@Suite(
  "Parties behind routers, end to end",
  .enabled("\(NATLaboratory.need)") { NATLaboratory.isPossible },
  .serialized)
struct RouterPartyTests {
  /// A relay that ends with its last reference.
  private final class Relay: Sendable {
    private let child: ChildProcess

    init(in namespace: String) async throws {
      let output = Clips.folder.appendingPathComponent("relay-\(UUID().uuidString)")
      child = try ChildProcess.start(
        [
          "ip", "netns", "exec", namespace, try MatineeProcess.executable.path, "relay", "--listen",
          "*:62846",
        ], output: output)
      let start = ContinuousClock.now
      while !((try? String(contentsOf: output, encoding: .utf8)) ?? "").contains("listening on") {
        guard ContinuousClock.now - start < MatineeProcess.deadline else {
          throw ChildProcess.Failure("the relay doesn't listen")
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }

    deinit {
      kill(child.id, SIGTERM)
      child.wait()
    }
  }

  private let film: String

  init() throws { film = try Clips.film.get() }

  private func join(
    _ arguments: [String], as name: String, in home: NATLaboratory.Home
  ) throws -> MatineeProcess {
    try MatineeProcess(
      arguments + [film, "--name", name, "--path", "direct", "--no-port-mapping"],
      namespace: home.machine)
  }

  private func entry(of name: String, in state: MatineeProcess.Event) -> [String: Any] {
    state.roster.first { $0["name"] as? String == name } ?? [:]
  }

  /// Four pairs that differ; all of them if the environment has `ALL_ROUTERS`.
  private static let pairs: [(NATLaboratory.Kind, NATLaboratory.Kind)] = {
    guard ProcessInfo.processInfo.environment["ALL_ROUTERS"] != nil else {
      return [
        (.portRestricted, .portRestricted), (.symmetric, .addressRestricted),
        (.symmetric, .symmetric),
        (.portRestricted, .blocked),
      ]
    }
    let kinds = NATLaboratory.Kind.allCases
    return kinds.flatMap { one in kinds.map { (one, $0) } }
  }()

  @Test(
    "Each pair of homes has a party, and a direct path where the routers allow one",
    arguments: pairs)
  func homes(_ one: NATLaboratory.Kind, _ two: NATLaboratory.Kind) async throws {
    let laboratory = try NATLaboratory()
    let homes = (try laboratory.makeHome(one), try laboratory.makeHome(two))
    laboratory.keep(try await Relay(in: laboratory.internet))
    let ana = try join(
      ["host", "--relay", "nats://\(NATLaboratory.relayAddress):62846", "--no-announce"],
      as: "Ana", in: homes.0)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let ben = try join(["join", invite], as: "Ben", in: homes.1)
    _ = try await ben.next("joined")
    try ben.send("chat hello")
    _ = try await ana.next("chat") { $0.string("text") == "hello" }
    try ben.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }
    let hasPath = one.canOpenPath(to: two)
    // The ends check all of their addresses meanwhile, and could open a path.
    if !hasPath { try await Task.sleep(for: .seconds(3)) }
    for (participant, other) in [(ana, "Ben"), (ben, "Ana")] {
      let path = hasPath ? "direct" : "relay"
      let state = try await participant.state {
        entry(of: other, in: $0)["path"] as? String == path
      }
      if hasPath {
        #expect((entry(of: other, in: state)["pathRoundTripMs"] as? NSNumber)?.doubleValue ?? 0 > 0)
      }
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }
}
