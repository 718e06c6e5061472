import Foundation
import MPVPlayer
import Testing
import Timekeeping

@testable import MatineeKit

@Suite("The value of a latency offset")
struct LatencyOffsetTests {
  @Test(
    "It is written in milliseconds or seconds",
    arguments: [
      ("180", 180), ("180ms", 180), ("180 ms", 180), ("0.18s", 180), ("-50", -50), ("+50", 50),
      ("10s", 10000), ("-2000", -2000), ("0", 0), ("12.5", 12.5), ("1S", 1000),
    ])
  func parsed(text: String, milliseconds: Double) throws {
    #expect(try LatencyOffset(parsing: text).duration.inMilliseconds == milliseconds)
  }

  @Test(
    "Any other text is refused with a reason",
    arguments: [
      ("", "isn't a latency offset"), ("soon", "isn't a latency offset"),
      ("nan", "isn't a latency"),
      ("inf", "isn't a latency"), ("0x10", "isn't a latency"),
      ("180s", "between -2000 and 10000 ms"),
      ("-2001", "between -2000 and 10000 ms"), ("10.001s", "between"), ("1m", "isn't a latency"),
      ("99999999999999999999999", "between"),
    ])
  func refused(text: String, reason: String) {
    let problem = #expect(throws: LatencyOffset.Problem.self) { try LatencyOffset(parsing: text) }
    #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
  }

  @Test("It is printed as it was written")
  func text() throws {
    for text in ["+180 ms", "-50 ms", "0 ms", "+12.5 ms", "+10000 ms"] {
      #expect(try LatencyOffset(parsing: text).text == text)
    }
  }
}

@Suite("The latency offset in force")
struct LatencyOffsetsTests {
  private let speaker = AudioDevice(key: "pulse/speaker", name: "Speaker")
  private let headphones = AudioDevice(key: "pulse/bluez", name: "Headphones")
  private func offset(_ milliseconds: Int) -> LatencyOffset {
    LatencyOffset(clamping: .milliseconds(milliseconds))
  }

  @Test("Each device has its own")
  func devices() {
    var offsets = LatencyOffsets(offset: nil)
    #expect(offsets.offset == .zero)
    let isNew1 = offsets.deviceChanged(to: headphones, remembered: offset(180))
    #expect(!isNew1)
    #expect(offsets.offset == offset(180))
    let isNew2 = offsets.deviceChanged(to: speaker, remembered: nil)
    #expect(!isNew2)
    #expect(offsets.offset == .zero)
    let isNew3 = offsets.set(offset(20))
    #expect(isNew3)
    let isNew4 = offsets.deviceChanged(to: headphones, remembered: offset(180))
    #expect(!isNew4)
    #expect(offsets.offset == offset(180))
  }

  @Test("The command line's offset applies to the run, and is remembered for the first device only")
  func explicit() {
    var offsets = LatencyOffsets(offset: offset(250))
    #expect(offsets.offset == offset(250))
    let isNew5 = offsets.deviceChanged(to: headphones, remembered: offset(180))
    #expect(isNew5)
    #expect(offsets.offset == offset(250))
    let isNew6 = offsets.deviceChanged(to: speaker, remembered: offset(30))
    #expect(!isNew6)
    #expect(offsets.offset == offset(250))
    // A change by key overrides it for that device.
    let isNew7 = offsets.set(offset(40))
    #expect(isNew7)
    let isNew8 = offsets.deviceChanged(to: headphones, remembered: offset(250))
    #expect(!isNew8)
    #expect(offsets.offset == offset(250))
    let isNew9 = offsets.deviceChanged(to: speaker, remembered: offset(40))
    #expect(!isNew9)
    #expect(offsets.offset == offset(40))
  }

  @Test("An offset that is set before there is sound is remembered when there is")
  func early() {
    var offsets = LatencyOffsets(offset: nil)
    let isNew10 = offsets.set(offset(70))
    #expect(!isNew10)
    let isNew11 = offsets.deviceChanged(to: speaker, remembered: offset(10))
    #expect(isNew11)
    #expect(offsets.offset == offset(70))
  }
}

@Suite("The file of latency offsets")
struct LatencyOffsetFileTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("state-\(UUID().uuidString)/matinee").path
  private let device = AudioDevice(key: "pulse/bluez", name: "Head \"phones\"")
  private let other = AudioDevice(key: "auto/pulse", name: nil)
  private var file: LatencyOffsetFile { LatencyOffsetFile(folder: folder) }
  private var path: String { folder + "/" + LatencyOffsetFile.name }
  private let offset = LatencyOffset(clamping: .milliseconds(180))

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func remove() {
    try? FileManager.default.removeItem(atPath: (folder as NSString).deletingLastPathComponent)
  }

  @Test(
    "A device's offset is remembered, for no other device, in a file that only its owner can read")
  func remembered() throws {
    defer { remove() }
    #expect(try file.offset(for: device) == nil)
    // No file is made until there is an offset to remember.
    #expect(!FileManager.default.fileExists(atPath: folder))
    try file.remember(offset, for: device)
    try file.remember(LatencyOffset(clamping: .microseconds(-12500)), for: other)
    #expect(try file.offset(for: device) == offset)
    #expect(try file.offset(for: other)?.duration == .microseconds(-12500))
    #expect(try file.offset(for: AudioDevice(key: "pulse/x", name: nil)) == nil)
    #expect(try mode(path) == 0o600 && mode(folder) == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [LatencyOffsetFile.name])

    try file.remember(.zero, for: device)
    #expect(try file.offset(for: device) == nil)
    #expect(try file.offset(for: other) != nil)
  }

  @Test(
    "A damaged file is set aside and reported once, and a new file begun",
    arguments: [
      "{", "", "[]", #"{"version":2,"devices":{}}"#,
      #"{"version":1,"devices":{"pulse/bluez":{"latencyMs":"much"}}}"#,
    ])
  func damaged(text: String) throws {
    defer { remove() }
    try file.remember(offset, for: device)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let failure = #expect(throws: LatencyOffsetFile.Failure.self) { try file.offset(for: device) }
    #expect(failure?.description.contains("were moved to") == true)
    #expect(try String(contentsOfFile: path + ".damaged", encoding: .utf8) == text)
    #expect(try file.offset(for: device) == nil)
    try file.remember(offset, for: device)
    #expect(try file.offset(for: device) == offset)
  }

  @Test("A value out of range is taken as the nearest one")
  func outOfRange() throws {
    defer { remove() }
    try file.remember(offset, for: device)
    try #"{"version":1,"devices":{"pulse/bluez":{"latencyMs":1e30}}}"#
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try file.offset(for: device)?.duration == .seconds(10))
  }

  @Test("If the file can't be written, that is reported")
  func unwritable() throws {
    let file = LatencyOffsetFile(folder: "/proc/matinee")
    #expect(throws: LatencyOffsetFile.Failure.self) { try file.remember(offset, for: device) }
  }

  @Test("The folder is the one of the XDG specification")
  func xdg() {
    #expect(StateFolder.path(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/matinee")
    #expect(
      StateFolder.path(environment: ["XDG_STATE_HOME": "rel", "HOME": "/h"])
        == "/h/.local/state/matinee")
    #expect(StateFolder.path(environment: [:]) == nil)
  }
}
