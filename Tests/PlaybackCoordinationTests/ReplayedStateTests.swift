import Foundation
import PartyTesting
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A member without control replays a state that the host once signed.
@Suite("A replayed state", .timeLimit(.minutes(1)))
struct ReplayedStateTests {
  private struct Film: GroupActivity {
    static let activityIdentifier = "film"
    var title: String
    var metadata: GroupActivityMetadata { GroupActivityMetadata(title: title) }
  }

  /// A player that carries out its commands at once.
  private final class Player: PlaybackControlDelegate {
    func playbackCoordinator(
      _: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
    ) async -> CommandResult { .completed(itemTime: command.itemTime) }

    func playbackCoordinator(
      _: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
    ) async -> CommandResult { .completed(itemTime: nil) }

    func playbackCoordinator(
      _: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
    ) async -> CommandResult { .completed(itemTime: command.itemTime) }

    func playbackCoordinator(
      _: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
    ) async -> CommandResult { .completed(itemTime: nil) }
  }

  @Test("A replay of the host's old state has no effect in a new session of the same film")
  func newSession() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let host = try await Party.create(
      founding, addresses: [Invite.Address("127.0.0.1:62846")!], name: "Ana",
      transport: broker.transport())
    let guest = try await Party.join(
      host.invite, name: "Mallory", transport: broker.transport())
    try await host.amend(.control(.hosts))
    let player = Player()
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    let sessions = await Film.sessions(in: host)

    // The guest records the report of the host's coordinator.
    try await Film(title: "Countdown").activate(in: host)
    var first: GroupSession<Film>?
    for await session in sessions {
      first = session
      break
    }
    let evening = try #require(first)
    await evening.join()
    let (updates, inbox) = AsyncStream.makeStream(of: Party.CoordinationUpdate.self)
    _ = await guest.beginCoordination(
      session: evening.id,
      handler: Party.CoordinationHandler(updated: { inbox.yield($0) }, rulesChanged: { _ in }))
    try await coordinator.coordinateWithSession(evening)
    try await coordinator.transitionToItem(withIdentifier: "film")
    try await coordinator.coordinateSeek(to: MediaTime(seconds: 53))
    try await coordinator.coordinateRateChange(to: 1, options: .playImmediately)
    var recorded: Party.CoordinationUpdate?
    for await update in updates {
      guard let signed = try? SignedReport(binary: update.data) else { continue }
      if signed.report.state?.isPlaying == true {
        recorded = update
        break
      }
    }
    var replay = try #require(recorded)
    replay.sender = guest.localID

    // In its own session the state is the host's, whichever participant sends it.
    #expect(await coordinator.decode(replay)?.state?.isPlaying == true)

    try await coordinator.coordinateRateChange(to: 0)
    try await evening.end()
    try await Film(title: "Countdown").activate(in: host)
    var second: GroupSession<Film>?
    for await session in sessions where session.id != evening.id {
      second = session
      break
    }
    let next = try #require(second)
    await next.join()
    try await coordinator.coordinateWithSession(next)
    try await coordinator.transitionToItem(withIdentifier: nil)
    try await coordinator.transitionToItem(withIdentifier: "film")
    let before = await coordinator.machine.groupState
    let refused = await host.rejections.unauthorized
    replay.session = next.id
    await coordinator.receive(replay)
    #expect(await coordinator.machine.groupState == before)
    #expect(await coordinator.machine.groupState?.isPlaying == false)
    #expect(await host.rejections.unauthorized == refused + 1)

    await guest.leave()
    await host.leave()
  }

  @Test("A state's proof is valid only for its party, session, item and author")
  func bound() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let address = [Invite.Address("127.0.0.1:62846")!]
    let party = try await Party.create(
      founding, addresses: address, name: "Ana", transport: broker.transport())
    // A party of the same author: only the party differs.
    let elsewhere = Party.Founding()
    let bens = try await Party.create(
      elsewhere, addresses: address, name: "Ben", transport: broker.transport())
    let other = try await Party.join(
      bens.invite, as: founding.identity, name: "Ana", transport: broker.transport())
    let sessions = (GroupSessionID(rawValue: 1), GroupSessionID(rawValue: 2))
    let state = ItemState(
      item: "film", stamp: Stamp(time: 5, participant: party.localID), originator: party.localID,
      change: .play, rate: 1, phase: .paused(at: MediaTime(seconds: 5), isExact: true))
    var proofs = StateProofs()
    let made = proofs.proof(of: state, in: sessions.0, of: party)
    let proof = try #require(made)
    func holds(_ state: ItemState, in session: GroupSessionID, of party: Party) -> Bool {
      var proofs = StateProofs()
      return proofs.add(proof, of: state, in: session, of: party)
    }
    #expect(holds(state, in: sessions.0, of: party))
    #expect(!holds(state, in: sessions.1, of: party))
    #expect(!holds(state, in: sessions.0, of: other))
    var changed = state
    changed.item = "another film"
    #expect(!holds(changed, in: sessions.0, of: party))
    changed = state
    changed.stamp = Stamp(time: 5, participant: elsewhere.identity.id)
    #expect(!holds(changed, in: sessions.0, of: party))
    for party in [other, bens, party] { await party.leave() }
  }

  @Test("No purpose of a proof is the beginning of another's")
  func purposes() {
    for purpose in ProofPurpose.allCases {
      for other in ProofPurpose.allCases where other != purpose {
        #expect(!other.label.starts(with: purpose.label), "\(purpose) and \(other)")
      }
    }
  }
}
