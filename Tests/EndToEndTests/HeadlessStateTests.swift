import Foundation
import ProcessTesting
import Testing

@Suite("The state of a headless participant")
struct HeadlessStateTests {
  /// Returns the names in backticks.
  private func names(in text: String) -> Set<String> {
    Set(text.matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) })
  }

  @Test("Its fields, and those of its roster, are the ones in matinee-headless(7)")
  func fields() async throws {
    let matinee = try MatineeProcess([
      "host", "--listen", "127.0.0.1:0", "--no-port-mapping", "--no-announce",
    ])
    _ = try await matinee.next("joined")
    let state = try await matinee.currentState()
    let items = try ManualPage.named("matinee-headless.7").items(below: "The state event")
    let described = items.reduce(into: Set<String>()) { $0.formUnion(names(in: $1.term)) }
    #expect(described.union(["event"]) == Set(state.fields.keys))

    let roster = try #require(items.last)
    let participant = try #require(state.roster.first)
    #expect(roster.term == "`roster`")
    #expect(names(in: roster.text).subtracting(["guest"]) == Set(participant.keys))
    #expect(try await matinee.quit() == 0)
  }
}
