import Foundation
import ProcessTesting
import Testing

/// Direct paths between real programs on one machine.
@Suite("Direct paths, end to end", .serialized)
struct DirectPathEndToEndTests {
  private let party: PartyTests

  init() throws { party = try PartyTests() }

  private func path(of state: MatineeProcess.Event, to name: String) -> String? {
    state.roster.first { $0["name"] as? String == name }?["path"] as? String
  }

  @Test(
    "Each participant is asked once, those who allow it get a path with its round trip, and one who refuses later has none"
  )
  func asked() async throws {
    let (ana, invite) = try await party.host(["--path", "direct"])
    let ben = try await party.join(invite, name: "Ben")
    let chi = try await party.join(invite, name: "Chi", ["--path", "relay"])
    _ = try await ben.next("confirm-paths")
    _ = try await ben.state { $0.roster.count == 3 && path(of: $0, to: "Ana") == "relay" }
    try ben.send("path direct")
    for (one, other) in [(ana, "Ben"), (ben, "Ana")] {
      let state = try await one.state { path(of: $0, to: other) == "direct" }
      #expect(path(of: state, to: "Chi") == "relay")
      let entry = try #require(state.roster.first { $0["name"] as? String == other })
      #expect((entry["pathRoundTripMs"] as? NSNumber)?.doubleValue ?? 0 > 0)
    }
    try ben.send("path relay")
    for (one, other) in [(ana, "Ben"), (ben, "Ana")] {
      _ = try await one.state { path(of: $0, to: other) == "relay" }
    }
    #expect(ben.history(of: "confirm-paths").count == 1)
    for one in [ana, chi] { #expect(one.history(of: "confirm-paths").isEmpty) }
    for one in [chi, ben, ana] {
      #expect(one.history(of: "warning").isEmpty)
      #expect(try await one.quit() == 0)
    }
  }
}
