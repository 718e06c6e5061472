import Foundation
import GroupActivities
import Testing

@testable import matinee

@Suite("A seat in a party")
struct PartySeatTests {
  @Test("Lock files of crashed programs are removed, those of running programs stay")
  func abandoned() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("seats-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let parties = (0..<60).map { _ in ParticipantIdentity().id }
    let own = PartySeat(in: parties[1], kept: nil, folder: folder)
    for party in parties.dropFirst(2) {
      try Data().write(to: URL(fileURLWithPath: folder + "/party-\(party).lock"))
    }
    let another = PartySeat(in: parties[0], kept: nil, folder: folder)
    #expect(own.isKept && another.isKept)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder))
        == ["party-\(parties[1]).lock", "party-\(parties[0]).lock"])
    #expect(!PartySeat(in: parties[1], kept: nil, folder: folder).isKept)
  }
}
