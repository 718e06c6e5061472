import Foundation
import Testing

@testable import MediaLibrary

@Suite("Parties, people and hosts")
struct PartyMemoryTests {
  private func party(_ id: String, seen: Double) -> RememberedParty {
    RememberedParty(
      id: id, invite: "matinee://h:1/\(id)#secret-of-\(id)", identity: [1, 2, 3], name: "Ana",
      isHost: false, seenAt: Date(timeIntervalSince1970: seen))
  }

  private func person(
    _ key: String, _ name: String, of party: String = "p", at time: Double
  ) -> MetPerson {
    let date = Date(timeIntervalSince1970: time)
    return MetPerson(party: party, key: key, name: name, metAt: date, seenAt: date)
  }

  @Test("The last parties come first, and only a limited number is kept")
  func parties() async throws {
    let library = try MediaLibrary.inMemory()
    for number in 0..<MediaLibrary.partyLimit + 3 {
      try await library.remember(party("p\(number)", seen: Double(number)))
    }
    let all = try await library.parties()
    #expect(all.count == MediaLibrary.partyLimit)
    #expect(all.first == party("p52", seen: 52))
    try await library.update(party: "p52") {
      $0.ending = "over"
      $0.policyLog = Data([1, 2, 3])
    }
    #expect(try await library.party("p52")?.policyLog == Data([1, 2, 3]))
    #expect(try await library.party("p52")?.ending == "over")
    #expect("\(all)".contains("secret") == false)
  }

  @Test("A forgotten party leaves no data on the disk")
  func forgetting() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("forget-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (library, _) = try MediaLibrary.open(in: folder)
    func isOnDisk() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return data.range(of: Data("secret-of-p".utf8)) != nil
      }
    }
    try await library.remember(party("p", seen: 1))
    _ = try await library.meet(person("k", "Ben", at: 1), since: Date(timeIntervalSince1970: 1))
    #expect(try isOnDisk())
    try await library.forget(party: "p")
    #expect(try !isOnDisk())
    #expect(try await library.people(limit: 9).isEmpty)
  }

  @Test("A person is recognized by key, and another key under a known name is noticed")
  func people() async throws {
    let library = try MediaLibrary.inMemory()
    func meet(_ key: String, _ name: String, at time: Double, since: Double) async throws
      -> Acquaintance
    {
      try await library.meet(person(key, name, at: time), since: Date(timeIntervalSince1970: since))
    }
    #expect(try await meet("a", "Ana", at: 11, since: 10) == Acquaintance())
    // The same evening: Ana renames herself, and another person takes the name.
    #expect(try await meet("a", "Anna", at: 12, since: 10) == Acquaintance())
    #expect(try await meet("b", "Anna", at: 13, since: 10) == Acquaintance())
    let again = try await meet("a", "Ana", at: 101, since: 100)
    #expect(again.before?.name == "Anna")
    #expect(again.before?.seenAt == Date(timeIntervalSince1970: 12))
    #expect(again.namesake == nil)
    let stranger = try await meet("c", "ANA", at: 201, since: 200)
    #expect(stranger.before == nil)
    #expect(stranger.namesake?.key == "a")
    #expect(try await library.people(limit: 9).map(\.key) == ["c", "a", "b"])
    for number in 0..<MediaLibrary.peopleLimit {
      let time = 300 + Double(number)
      _ = try await library.meet(
        person("\(number)", "crowd", of: "p\(number % 100)", at: time),
        since: Date(timeIntervalSince1970: 300))
    }
    #expect(try await library.people(limit: 9999).count == MediaLibrary.peopleLimit)
    #expect(try await library.people(limit: 9999).last?.key == "0")
    _ = try await meet("a", "Ana", at: 9000, since: 9000)
    _ = try await meet("b", "Anna", at: 9001, since: 9000)
    #expect(try await library.people(limit: 2).map(\.key) == ["b", "a"])
    try await library.forget(person: "a", of: "p")
    #expect(try await library.people(limit: 1).map(\.key) == ["b"])
    #expect(try await library.people(limit: 9999).contains { $0.key == "a" } == false)
  }

  @Test("Hosts are trusted until they are forgotten")
  func hosts() async throws {
    let library = try MediaLibrary.inMemory()
    for name in ["b.example", "A.example", "a.example"] { try await library.allow(host: name) }
    #expect(try await library.hosts().map(\.name) == ["a.example", "b.example"])
    #expect(try await library.forget(host: "B.example"))
    #expect(try await !library.forget(host: "b.example"))
    #expect(try await library.hosts().map(\.name) == ["a.example"])
  }
}
