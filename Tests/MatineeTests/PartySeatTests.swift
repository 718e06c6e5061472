import Foundation
import GroupActivities
import MediaLibrary
import Testing

@testable import MatineeKit

@Suite("A seat in a party")
struct PartySeatTests {
  @Test("Lock files of crashed programs are removed, those of running programs stay")
  func abandoned() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("seats-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func seat(_ party: Participant.ID) async -> PartySeat {
      await PartySeat.take(in: party, folder: folder) { () throws(MediaLibraryError) in nil }
    }
    let parties = (0..<60).map { _ in ParticipantIdentity().id }
    let own = await seat(parties[1])
    for party in parties.dropFirst(2) {
      try Data().write(to: URL(fileURLWithPath: folder + "/party-\(party).lock"))
    }
    let another = await seat(parties[0])
    #expect(own.isKept && another.isKept)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder))
        == ["party-\(parties[1]).lock", "party-\(parties[0]).lock"])
    #expect(await seat(parties[1]).memory == .elsewhere)
  }
}
