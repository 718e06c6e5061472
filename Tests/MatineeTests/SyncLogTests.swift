import Foundation
import PlaybackCoordination
import Synchronization
import Testing
import Timekeeping

@testable import MatineeKit

@Suite("The synchronization log")
struct SyncLogTests {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("sync-\(UUID().uuidString).csv").path

  private let measured = SyncRecord(
    hostTime: HostTime(nanoseconds: 12_345_678_900), groupTime: GroupTime(nanoseconds: 5_000_000),
    itemTime: MediaTime(seconds: 754.5),
    measurement: SyncMeasurement(error: .microseconds(-1100), uncertainty: .microseconds(300)),
    nudge: 1.0005, roundTrip: .microseconds(1234), clockUncertainty: .microseconds(617))

  private func lines() throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  @Test("A record is a line, with the wall clock's time of its measurement")
  func line() {
    let host = HostTime(nanoseconds: 13_345_678_900)
    let now = Date(timeIntervalSince1970: 1_700_000_001.25)
    #expect(
      measured.csvLine(now: now, hostNow: host)
        == "2023-11-14T22:13:20.250Z,12.345679,0.005000,754.500000,-1.100,0.300,1.000500,1.234,0.617,\n"
    )
    let event = SyncRecord(hostTime: host, event: .seek)
    #expect(
      event.csvLine(now: now, hostNow: host) == "2023-11-14T22:13:21.250Z,13.345679,,,,,,,,seek\n")
    let columns = SyncRecord.csvHeader.split(separator: ",").count
    #expect(event.csvLine(now: now, hostNow: host).count { $0 == "," } == columns - 1)
  }

  @Test("A new log has a header and only its owner can read it; an existing log is continued")
  func file() async throws {
    defer { unlink(path) }
    for _ in 0..<2 {
      let log = try SyncLog(path: path)
      log.append(measured) { Issue.record("\($0)") }
      await log.finish()
    }
    let lines = try lines()
    #expect(lines.count == 4 && lines[0] + "\n" == SyncRecord.csvHeader && lines[3] == "")
    #expect(lines[1].hasSuffix("-1.100,0.300,1.000500,1.234,0.617,"))
    #expect(lines[2].hasSuffix(",0.617,"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("The program doesn't write into a file that isn't a log, or isn't a regular file")
  func others() throws {
    defer { unlink(path) }
    try "a film".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: SyncLog.Failure.self) { try SyncLog(path: path) }
    #expect(try lines() == ["a film"])
    unlink(path)
    for path in ["/nowhere/at/all.csv", "/tmp", "/dev/null"] {
      #expect(throws: SyncLog.Failure.self) { try SyncLog(path: path) }
    }
    mkfifo(path, 0o600)
    #expect(throws: SyncLog.Failure.self) { try SyncLog(path: path) }
  }

  @Test("A full disk and a removed file are reported once")
  func trouble() async throws {
    defer { unlink(path) }
    let told = Mutex<[String]>([])
    let full = SyncLog(descriptor: open("/dev/full", O_WRONLY), path: "x")
    for _ in 0..<5 {
      full.append(measured) { failure in told.withLock { $0.append("\(failure)") } }
    }
    await full.finish()
    #expect(told.withLock { $0 } == ["The sync log can't be written to x: No space left on device"])

    let removed = try SyncLog(path: path)
    unlink(path)
    for _ in 0..<5 {
      removed.append(measured) { failure in told.withLock { $0.append(failure.reason) } }
    }
    await removed.finish()
    #expect(told.withLock { $0.last } == "the file was removed" && told.withLock { $0.count } == 2)
  }
}
