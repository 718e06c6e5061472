import DrawTogether
import Foundation
import GroupActivities
import PlaybackCoordination
import Testing
import Timekeeping

@testable import Screening

/// The files in `Golden` are the lines of `--headless`, with sorted keys. A change of a line is a change of the
/// interface, which matinee-headless(7) documents.
@Suite("The lines of events") struct ScreeningEventTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  private static func encoded(_ event: ScreeningEvent) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(event), as: UTF8.self) + "\n"
  }

  @Test("Each event is encoded as its golden file")
  func golden() throws {
    for (name, event) in EventExamples.all {
      let text = try String(
        contentsOf: Self.folder.appendingPathComponent(name + ".json"), encoding: .utf8)
      #expect(try Self.encoded(event) == text, "\(name)")
    }
  }

  @Test("Each kind of event has a golden file, and each golden file an event")
  func complete() throws {
    let kinds = Set(EventExamples.all.map(\.event.kind))
    #expect(kinds == Set(ScreeningEvent.Kind.allCases))
    let names = EventExamples.all.map(\.name)
    #expect(Set(names).count == names.count)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(names.map { $0 + ".json" }))
  }

  @Test("A line names its kind, also if a payload has fields of its own")
  func kinds() throws {
    for (name, event) in EventExamples.all {
      #expect(try Self.encoded(event).contains("\"event\":\"\(event.kind.rawValue)\""), "\(name)")
      #expect(name.hasPrefix(event.kind.rawValue), "\(name)")
    }
  }

  @Test("Numbers are rounded as they are printed")
  func rounded() throws {
    let change = CoordinatedChange(
      kind: .seek, originator: EventExamples.ana.id,
      itemTime: MediaTime(nanoseconds: 1_234_567_891),
      rate: 1)
    #expect(try Self.encoded(.command(change, by: "Ana")).contains("\"position\":1.234568,"))
    #expect(
      ScreeningEvent.waiting(
        for: ["Ana"], until: HostTime(nanoseconds: 2_000_000_000),
        now: HostTime(nanoseconds: 500_400_000)) == .waiting(for: ["Ana"], seconds: 1.5))
    #expect(
      ScreeningEvent.waiting(for: [], until: nil, now: HostTime(nanoseconds: 0))
        == .waiting(for: [], seconds: 0))
  }

  @Test("Texts of other participants are cleaned and cut")
  func cleaned() {
    let film = ScreeningEvent.Film(
      item: "x", title: String(repeating: "a", count: 300), url: "http://x/\u{1B}[2J")
    #expect(film.title.count == 200)
    #expect(film.url?.contains("\u{1B}") == false)
  }
}
