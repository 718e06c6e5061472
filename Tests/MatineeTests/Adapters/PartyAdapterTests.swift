import Foundation
import GroupActivities
import MediaLibrary
import ProcessTesting
import Testing
import Timekeeping
import WatchTogether

@testable import MatineeKit
@testable import Screening

@Suite("The adapter of the party")
@ScreeningActor
struct PartyAdapterTests {
  /// A participant's adapter, whose party may be opened on this machine only.
  private func with(
    _ name: String, _ library: MediaLibrary? = nil,
    _ body: @ScreeningActor (PartyAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let memory = PartyMemory(
        ForgivingLibrary(library, events: stage.events), events: stage.events)
      let adapter = PartyAdapter(
        runner: stage.runner, coordinator: stage.coordinator, events: stage.events, name: name,
        isNameChosen: true, memory: memory)
      var options = PartyHosting.Options()
      (options.host, options.port) = ("127.0.0.1", 0)
      (options.mapsPort, options.announces) = (false, false)
      adapter.use(options)
      do { try await body(adapter, stage) } catch {
        try await leave(adapter)
        throw error
      }
      try await leave(adapter)
      adapter.close()
    }
  }

  @discardableResult
  private func leave(_ adapter: PartyAdapter) async throws -> EffectAnswer {
    try await adapter.perform(.leave(Departure(Departure.Situation())))
  }

  /// Runs a test with a host and a guest.
  private func withGuest(
    _ body:
      @ScreeningActor (PartyAdapter, AdapterStage, PartyAdapter, AdapterStage) async throws ->
      Void
  ) async throws {
    try await with("Ana") { host, hostStage in
      _ = try await host.perform(.enter(.host))
      let invite = try #require(host.invite)
      try await with("Ben") { guest, guestStage in
        #expect(try await guest.perform(.enter(.join(invite))) == .done)
        try await body(host, hostStage, guest, guestStage)
      }
    }
  }

  /// Returns a list with one more film.
  private func list(_ film: String, after list: Playlist? = nil) -> Playlist {
    var random = SystemRandomNumberGenerator()
    let id = UInt32(list?.entries.count ?? 0)
    let entry = PlaylistEntry(id: id, identifier: film, title: film, location: nil)
    guard var list else { return Playlist(entry, at: nil, using: &random) }
    _ = list.append(entry, at: nil, using: &random)
    return list
  }

  @Test("A party that was opened is empty, and can be left")
  func host() async throws {
    try await with("Ana") { adapter, stage in
      let answer = try await adapter.perform(.enter(.host))
      #expect(answer.events == [.party(.hosted(isEmpty: true, remembered: nil))])
      #expect(stage.effects.contains(.drawing(.followSessions)))
      #expect(stage.runner.machine.membership.isMember && adapter.invite != nil)
      #expect(stage.runner.machine.party?.isHosting == true)
      guard case .party(.left(closing: false, _))? = try await leave(adapter).events.first else {
        Issue.record("It wasn't left.")
        return
      }
      #expect(adapter.party == nil && adapter.invite == nil)
      await #expect(throws: PartyError.notJoined) { try await adapter.perform(.say("Hello")) }
    }
  }

  @Test("A party that is left is remembered, unless the departure says otherwise")
  func forgotten() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("party-memory-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (library, _) = try MediaLibrary.open(in: folder)
    try await with("Ana", library) { adapter, _ in
      for forgets in [false, true] {
        _ = try await adapter.perform(.enter(.host))
        var departure = Departure(Departure.Situation())
        departure.forgets = forgets
        _ = try await adapter.perform(.leave(departure))
        #expect(try await library.parties().count == 1)
      }
    }
  }

  @Test("An unknown party isn't found, and without an order to find one none is entered again")
  func recall() async throws {
    try await with("Ana", .inMemory()) { adapter, _ in
      await #expect(throws: RejoinProblem.unknown) { try await adapter.perform(.recall(nil)) }
      await #expect(throws: RejoinProblem.unknown) { try await adapter.perform(.enter(.rejoin)) }
    }
  }

  @Test("After an invite to nowhere another party can be entered")
  func badInvite() async throws {
    try await with("Ana") { adapter, _ in
      let nowhere = try #require(Invite.Address("127.0.0.1:1"))
      let invite = Party.Founding().invite(addresses: [nowhere])
      await #expect(throws: PartyError.self) {
        try await adapter.perform(.enter(.join(invite)))
      }
      #expect(adapter.party == nil)
      #expect(
        try await adapter.perform(.enter(.host)).events
          == [.party(.hosted(isEmpty: true, remembered: nil))])
    }
  }

  @Test("Participants hear of each other, of their words and names, and of the rules")
  func company() async throws {
    try await withGuest { host, stage, guest, other in
      let ben = try #require(guest.party?.localID)
      await eventually { stage.effects.contains { $0.meets(ben) } }
      _ = try await guest.perform(.say("Hello"))
      await eventually {
        stage.effects.contains(.report(.chat(.init(id: ben, name: "Ben"), "Hello")))
      }
      _ = try await guest.perform(.rename("Bo"))
      await eventually {
        stage.effects.contains(.report(.renamed(.init(id: ben, name: "Bo"), from: "Ben")))
      }
      let events = try await host.perform(.change(.control(.hosts))).events
      #expect(events.last == .party(.ruleChanged(.control(.hosts))))
      await eventually { other.runner.machine.party?.rules.control == .hosts }
      await #expect(throws: PartyError.self) {
        try await guest.perform(.change(.control(.everyone)))
      }
    }
  }

  @Test("A session has a list, ready checks and reactions, until it ends for all")
  func session() async throws {
    try await withGuest { host, stage, guest, other in
      await #expect(throws: PartyError.sessionOver) { try await host.perform(.askWhetherReady) }
      let first = list("nosferatu")
      @ScreeningActor func films() -> [String]? {
        other.runner.machine.list?.entries.map(\.identifier)
      }
      _ = try await host.perform(.beginSession(FilmActivity(first)))
      // The next command may change the list.
      #expect(stage.runner.machine.party?.session == .joined)
      #expect(stage.runner.machine.sharedList?.playlist == first)
      await eventually { films() == ["nosferatu"] }
      let second = list("metropolis", after: first)
      let edit = ListEdit(
        activity: FilmActivity(second), before: SharedPlaylist(first), plays: false)
      _ = try await host.perform(.setList(edit))
      await eventually { films() == ["nosferatu", "metropolis"] }
      _ = try await host.perform(.restore(list("faust", after: second)))
      await eventually { films() == ["nosferatu", "metropolis", "faust"] }
      _ = try await host.perform(.askWhetherReady)
      await eventually { other.effects.contains(.report(.readyCheck(by: "Ana"))) }
      let ben = try #require(await guest.party?.localParticipant)
      #expect(
        try await guest.perform(.react(.laugh)).events == [.party(.reacted(ben, .laugh))])
      await eventually { stage.effects.contains(.report(.reaction(.init(ben), .laugh))) }
      _ = try await host.perform(.endSession)
      await eventually { other.runner.machine.party?.session == .over }
    }
  }

  @Test("A guest's relay serves the party and is verified by others, until the guest leaves")
  func standby() async throws {
    try await withGuest { host, stage, guest, other in
      guard case .party(.served(let own))? = try await guest.perform(.serve).events.first else {
        throw CancellationError()
      }
      #expect(own.listensOn == "127.0.0.1" && own.addresses.map(\.port) == [own.port])
      #expect(try await guest.perform(.serve) == .done)
      #expect(try await guest.perform(.countClients).events == [.party(.clients(0))])
      _ = try await guest.perform(.offerRelay(own))
      let ben = try #require(guest.party?.localID)
      await eventually { stage.runner.machine.relays.contains { $0.owner == ben } }
      let offer = try #require(stage.runner.machine.relays.first { $0.owner == ben })
      #expect(!offer.isReached)
      _ = try await host.perform(.verify(offer, at: own.addresses[0]))
      await eventually { stage.runner.machine.relays.contains { $0.owner == ben && $0.isReached } }
      try await leave(guest)
      #expect(try await guest.perform(.countClients).events == [.party(.clients(0))])
      #expect(throws: (any Error).self) { try Loopback.connect(to: own.port) }
    }
  }
}

extension ScreeningMachine.Effect {
  fileprivate func meets(_ id: Participant.ID) -> Bool {
    if case .party(.meet(let participant)) = self { participant.id == id } else { false }
  }
}
