import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import PartyTesting
@testable import PlaybackCoordination

/// Messages of an admitted guest that no honest program sends, to programs that run.
@Suite("A hostile guest among running programs", .serialized)
struct HostileGuestTests {
  /// Numbers that one `Int64` or `Duration` doesn't hold, and what is next to nothing; the last one is sensible.
  static let rates: [Double] = [1e21, 1e30, 1e308, -1e30, .leastNonzeroMagnitude, 0]

  @Test("A state with extreme numbers ends no program")
  func extremeState() async throws {
    let film = try Clips.film.get()
    let ana = try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana", film])
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    for program in [ana, ben] { _ = try await program.next("opened") }
    let mallory = try await HostileGuest.joining(ana, invite)
    _ = try await ben.next("participant-joined") { $0.string("name") == "Mallory" }
    let session = try await mallory.session()
    let item = try #require(try await mallory.report(of: mallory.party, in: session.id).item)
    for (index, rate) in Self.rates.enumerated() {
      let state = ItemState(
        item: item, stamp: mallory.stamp(), originator: mallory.identity.id, change: .play, rate: 1,
        phase: .playing(
          Timeline(
            itemTime: MediaTime(seconds: 3),
            groupTime: HostileGuest.groupTime + .milliseconds(200), previousRate: rate)))
      let report = CoordinationReport(
        session: session.id, data: try mallory.signedReport(state, revision: UInt64(index) + 1),
        version: UInt64(index) + 1)
      try mallory.say(.coordination(report))
    }
    // The one that is sensible shows that all of them were heard.
    for program in [ana, ben] {
      let command = try await program.next("command")
      #expect(command.string("command") == "play" && command.string("by") == "Mallory")
      _ = try await program.state { $0.string("status") == "playing" }
    }
    await mallory.leave()
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }
}
