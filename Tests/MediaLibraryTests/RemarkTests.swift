import Foundation
import GRDB
import Testing

@testable import MediaLibrary

@Suite("Remembered remarks")
struct RemarkTests {
  private let remark = KeptRemark(author: "Ben", text: "what a view", position: 61_500)

  private func with(_ body: (MediaLibrary, URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("remarks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(MediaLibrary.open(in: folder).library, folder)
  }

  @Test("They are found with their film, and are encrypted on the disk")
  func encrypted() async throws {
    try await with { library, folder in
      #expect(try await library.remarks(about: "film") == [])
      for film in ["film", "other"] { try await library.remember(remark, about: film) }
      #expect(try await library.remarks(about: "film") == [remark])
      let boxes = try await library.database.read {
        try Data.fetchAll($0, sql: "SELECT box FROM remark")
      }
      for box in boxes {
        for secret in ["Ben", "what a view"] {
          #expect(box.range(of: Data(secret.utf8)) == nil)
        }
      }
      let key = folder.appendingPathComponent(MediaLibrary.keyName)
      let attributes = try FileManager.default.attributesOfItem(atPath: key.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test("With another key, or as those of another film, they can't be read, and nothing fails")
  func foreign() async throws {
    try await with { library, folder in
      try await library.remember(remark, about: "film")
      try await library.database.write {
        try $0.execute(sql: "INSERT INTO remark (film, box) SELECT 'other', box FROM remark")
      }
      #expect(try await library.remarks(about: "other") == [])
      let key = folder.appendingPathComponent(MediaLibrary.keyName)
      try Data(repeating: 1, count: 32).write(to: key)
      #expect(try await library.remarks(about: "film") == [])
      try await library.remember(remark, about: "film")
      #expect(try await library.remarks(about: "film") == [remark])
    }
  }

  @Test("The oldest of very many about one film are forgotten")
  func limit() async throws {
    try await with { library, _ in
      try await library.remember(remark, about: "film")
      for number in 0..<MediaLibrary.remarkLimit {
        try await library.remember(
          KeptRemark(author: "Ana", text: "\(number)", position: number), about: "film")
      }
      let kept = try await library.remarks(about: "film")
      #expect(kept.count == MediaLibrary.remarkLimit && kept.first?.text == "0")
    }
  }
}
