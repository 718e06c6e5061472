import Foundation
import GRDB
import GroupActivities
import MPVPlayer
import Testing

@testable import MatineeCommands
@testable import MatineeKit
@testable import MediaLibrary

/// A library whose reads fail for a while, as on a disk with errors.
@Suite("Failed reads of the library")
final class FailedReadTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("failing-\(UUID().uuidString)")
  private let library: MediaLibrary

  init() throws { library = try MediaLibrary.open(in: folder).library }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func damage(_ table: String) async throws {
    try await library.database.write { try $0.rename(table: table, to: table + "Away") }
  }

  private func mend(_ table: String) async throws {
    try await library.database.write { try $0.rename(table: table + "Away", to: table) }
  }

  /// Remembers a party that this user opened.
  private func ownParty() async throws -> (founding: Party.Founding, record: RememberedParty) {
    let founding = Party.Founding()
    let address = try #require(Invite.Address("127.0.0.1:1"))
    let record = RememberedParty(
      id: founding.party.description, invite: founding.invite(addresses: [address]).text,
      identity: founding.identity.seed, name: "Ana", isHost: true, port: 1,
      seenAt: Date(timeIntervalSince1970: 9), policyLog: Data([1]))
    try await library.remember(record)
    return (founding, record)
  }

  private func program() async throws -> Program {
    var options = Program.Options(
      configuration: MPVConfiguration(video: .none, noConfig: true), name: "Ana")
    options.library = library
    return try await Program(options)
  }

  @Test("An identity that can't be read isn't replaced, and returns with the next good read")
  func identity() async throws {
    let (founding, record) = try await ownParty()
    try await damage("party")
    do {
      let seat = await PartySeat.take(in: founding.party, from: library)
      #expect(!seat.isKept && seat.identity.id != founding.party)
      guard case .unreadable = seat.memory else { throw PartyError.notJoined }
    }
    try await mend("party")
    #expect(try await library.party(record.id) == record)
    let seat = await PartySeat.take(in: founding.party, from: library)
    #expect(
      seat.memory == .kept(name: record.name, policyLog: Data([1]))
        && seat.identity.id == founding.party)
    let second = await PartySeat.take(in: founding.party, from: library)
    #expect(second.memory == .elsewhere && second.identity.id != founding.party)
  }

  @Test(
    "A damaged identity, and a folder without room for the lock, aren't taken for a first visit")
  func damagedIdentity() async throws {
    var (founding, record) = try await ownParty()
    record.identity = [1, 2, 3]
    try await library.remember(record)
    let seat = await PartySeat.take(in: founding.party, from: library)
    #expect(seat.memory == .unreadable(reason: "The kept identity is damaged"))
    let other = await PartySeat.take(in: founding.party, folder: folder.path + "/missing") {
      () throws(MediaLibraryError) in nil
    }
    guard case .unreadable(let reason) = other.memory else { throw PartyError.notJoined }
    #expect(reason.contains("No such file"))
  }

  @Test("A guest joins as a newcomer and is told, but nothing is remembered over the kept record")
  func joining() async throws {
    let (founding, record) = try await ownParty()
    let program = try await program()
    let events = program.events.follow(atMost: 64)
    let invite = try Invite(record.invite)
    try await damage("party")
    let memory = await program.parties.memory
    let seat = await memory.seat(in: invite)
    #expect(seat.identity.id != founding.party)
    // The library works again before the participant is in the party.
    try await mend("party")
    await memory.remember(
      invite, in: seat, as: "Ana", isHost: false, port: nil, policyLog: nil)
    #expect(try await library.party(record.id) == record)
    await program.close()
    let warnings = await events.reduce(into: [String]()) { warnings, event in
      if case .warning(let text) = event { warnings.append(text) }
    }
    #expect(warnings.contains { $0.contains("You join as a new participant") })
  }

  @Test("A host doesn't open its party again without its identity, and keeps everything")
  func reopening() async throws {
    let (_, record) = try await ownParty()
    let program = try await program()
    try await damage("party")
    do {
      _ = try await program.parties.recall(record.id)
      Issue.record("opened")
    } catch let error as RejoinProblem {
      guard case .unreadable = error else { throw error }
      #expect("\(error)".contains("Restart Matinee"))
    }
    try await mend("party")
    var damaged = record
    damaged.identity = Array(repeating: 7, count: 32)
    try await library.remember(damaged)
    do {
      _ = try await program.parties.recall(record.id)
      Issue.record("opened")
    } catch let error as RejoinProblem {
      #expect(error == .unreadable("The saved identity doesn't match"))
    }
    #expect(try await library.party(record.id) == damaged)
    await program.close()
  }

  @Test("The user hears that trusted servers can't be read")
  func hosts() async throws {
    try await library.allow(host: "example.org")
    let program = try await program()
    let events = program.events.follow(atMost: 64)
    try await damage("host")
    _ = await program.library.trustedHosts()
    await program.close()
    let warnings = await events.reduce(into: [String]()) { warnings, event in
      if case .warning(let text) = event { warnings.append(text) }
    }
    #expect(warnings.contains { $0.contains("Can't read the trusted servers") })
  }

  @Test("The screen's lists keep what was read, and name what can't be read now")
  func index() async throws {
    let record = RememberedParty(
      id: "party", invite: "", identity: [], name: "Ana", isHost: true,
      seenAt: Date(timeIntervalSince1970: 9))
    try await library.remember(record)
    try await library.allow(host: "example.org")
    let index = LibraryIndex(library: library) { _ in nil }
    await index.refresh()
    #expect(await index.problem == nil)
    try await damage("party")
    try await library.allow(host: "example.com")
    await index.refresh()
    #expect(await index.remembered.parties == [record])
    #expect(await index.remembered.hosts.count == 2)
    let problem = try #require(await index.problem)
    #expect(problem.hasPrefix("Can't read parties (") && problem.hasSuffix("to try again."))
    try await mend("party")
    await index.refresh()
    #expect(await index.problem == nil)
  }

  @Test("A search that the next letter replaces reports nothing")
  func replacedSearch() async throws {
    let index = LibraryIndex(library: library) { _ in nil }
    for count in 1...20 { await index.search(String(repeating: "a", count: count)) }
    await index.search("b")
    for await _ in index.changes where await index.found?.query == "b" { break }
    #expect(await index.problems.isEmpty)
  }

  @Test("Records of files that can't be read aren't overwritten")
  func files() async throws {
    let media = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Media/Life.mp4").path
    let version = try #require(KnownFile.Version(ofFileAt: media))
    let file = KnownFile(path: media, version: version, identifier: "kept")
    try await library.remember(file)
    // One of the three reads fails.
    try await damage("film")
    let index = LibraryIndex(library: library) { _ in "other" }
    await index.show([media])
    for await _ in index.changes where await index.problem != nil { break }
    #expect(try await library.files([media])[media]?.identifier == "kept")
    #expect(await index.problems[.files] != nil)
  }
}
