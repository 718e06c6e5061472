import Foundation
import Testing

/// The end of a party for the participants who stay.
@Suite("Closing a party, end to end", .serialized)
struct ClosingTests {
  @Test(
    "A host that gets SIGTERM closes the party with a message, and the guests' film continues without a reconnect"
  )
  func hostEnds() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(invite, name: "Ben", ["--no-standby"])
    try ana.send("play")
    _ = try await ben.state { $0.flag("playerPaused") == false }
    ana.terminate()
    #expect(try await ana.exitCode() == 0)
    #expect(try await ben.next("party-closed").string("by") == "Ana")
    _ = try await ben.next("left")
    let state = try await ben.state { $0.fields["party"] is NSNull }
    #expect(state.string("closedBy") == "Ana" && state.string("status") == "playing")
    #expect(ben.history(of: "disconnected").isEmpty, "nothing tries to reconnect")
    // The user has read the message.
    try ben.send("leave")
    _ = try await ben.state { $0.fields["closedBy"] is NSNull }
    #expect(try await ben.quit() == 0)
  }
}
