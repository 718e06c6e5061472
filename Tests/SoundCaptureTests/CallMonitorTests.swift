import Concurrency
import Foundation
import ProcessTesting
import SoundCapture
import Synchronization
import Testing

@Suite("The monitor of calls, with a real sound server", .serialized, .timeLimit(.minutes(5)))
struct CallMonitorTests {
  private let sounds: Sounds
  private let server: PulseServer
  private let reports = Reports()

  init() async throws {
    sounds = try Sounds()
    server = try await PulseServer()
  }

  private func monitor(_ address: String? = nil) throws -> CallMonitor {
    let reports = reports
    return try CallMonitor(server: address ?? "unix:\(server.socket)") { reports.append($0) }
  }

  @Test("A phone is audible while it is loud; music, a silent phone and own streams are no calls")
  func phone() async throws {
    let monitor = try monitor()
    defer { monitor.stop() }
    // The first one shows that the monitor is connected, and the last one that it has seen those between them.
    let first = try Client(play: sounds.tone, on: server, "media.role=phone")
    try await reports.until(true)
    await first.end()
    try await reports.until(false)
    let before = reports.all
    let own = "application.process.id=\(ProcessInfo.processInfo.processIdentifier)"
    let others = [
      try Client(play: sounds.beep, on: server),
      try Client(play: sounds.beep, on: server, "media.role=music"),
      try Client(play: sounds.silence, on: server, "media.role=phone"),
      try Client(play: sounds.beep, on: server, "media.role=phone", own),
    ]
    for client in others { await client.finish() }
    #expect(reports.all == before)
    let last = try Client(play: sounds.tone, on: server, "media.role=Communication")
    try await reports.until(true)
    await last.end()
    try await reports.until(false)
  }

  @Test("Silence ends a call whose stream remains")
  func silence() async throws {
    let monitor = try monitor()
    defer { monitor.stop() }
    let phone = try Client(play: sounds.beepBeforeSilence, on: server, "media.role=phone")
    try await reports.until(false)
    await phone.end()
  }

  @Test("A program that plays is in a call while it records from a microphone, not from a monitor")
  func recorder() async throws {
    let monitor = try monitor()
    defer { monitor.stop() }
    // Programs that say that they are one process, as the connections of a browser do.
    let process = ["application.process.id=1", "application.process.binary=browser"]
    let environment = ProcessInfo.processInfo.environment.merging(server.environment) { $1 }
    try ChildProcess.run(
      ["pactl", "load-module", "module-null-source", "source_name=microphone"],
      environment: environment)
    let player = try Client(play: sounds.tone, on: server, process)
    let listener = try Client(record: "room.monitor", on: server, process)
    let end = ContinuousClock.now + .seconds(60)
    while try !ChildProcess.run(["pactl", "list", "source-outputs"], environment: environment)
      .contains("browser")
    {
      guard ContinuousClock.now < end else {
        throw ChildProcess.Failure("the recording never began")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    let recorder = try Client(record: "microphone", on: server, process)
    try await reports.until(true)
    await recorder.end()
    try await reports.until(false)
    await listener.end()
    await player.end()
  }

  @Test("A server that is killed ends the call, and the next one is found")
  func restart() async throws {
    let address = sounds.folder.appendingPathComponent("socket")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: address.path, withDestinationPath: server.socket)
    let monitor = try monitor("unix:\(address.path)")
    defer { monitor.stop() }
    let first = try Client(play: sounds.tone, on: server, "media.role=phone")
    try await reports.until(true)
    server.kill9()
    try await reports.until(false)
    await first.end()
    let next = try await PulseServer()
    try files.removeItem(at: address)
    try files.createSymbolicLink(atPath: address.path, withDestinationPath: next.socket)
    let second = try Client(play: sounds.tone, on: next, "media.role=phone")
    try await reports.until(true)
    await second.end()
  }

  @Test("A monitor that is stopped during a call reports its end")
  func stop() async throws {
    let monitor = try monitor()
    let phone = try Client(play: sounds.tone, on: server, "media.role=phone")
    try await reports.until(true)
    monitor.stop()
    try await reports.until(false)
    await phone.end()
  }
}

/// The reports of one monitor, in their order.
private final class Reports: Sendable {
  private let reports = Mutex<[Bool]>([])

  var all: [Bool] { reports.withLock { $0 } }

  func append(_ isAudible: Bool) { reports.withLock { $0.append(isAudible) } }

  /// Waits for a last report. The first one is never false.
  func until(_ isAudible: Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while all.last != isAudible {
      guard ContinuousClock.now < end else {
        throw ChildProcess.Failure("the reports are \(all)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

/// A program that plays or records, ended at the latest with the test.
private final class Client: Sendable {
  private let child: ChildProcess
  private let isOver = Atomic(false)

  convenience init(play file: URL, on server: PulseServer, _ properties: String...) throws {
    try self.init(play: file, on: server, properties)
  }

  init(play file: URL, on server: PulseServer, _ properties: [String]) throws {
    child = try Self.start(
      ["pacat", "--device=nowhere", "--latency-msec=50"], properties, [file.path], on: server)
  }

  init(record source: String, on server: PulseServer, _ properties: [String]) throws {
    child = try Self.start(["parec", "--device=\(source)"], properties, ["/dev/null"], on: server)
  }

  private static func start(
    _ command: [String], _ properties: [String], _ file: [String], on server: PulseServer
  ) throws -> ChildProcess {
    try ChildProcess.start(
      command + Sounds.format + properties.map { "--property=\($0)" } + file,
      output: URL(fileURLWithPath: "/dev/null"),
      environment: ProcessInfo.processInfo.environment.merging(server.environment) { $1 })
  }

  deinit {
    guard !isOver.load(ordering: .acquiring) else { return }
    child.terminate()
    child.wait()
  }

  /// Waits until the whole file has been played.
  func finish() async {
    let child = child
    _ = await OwnedThread.run("player") { child.wait() }
    isOver.store(true, ordering: .releasing)
  }

  func end() async {
    child.terminate()
    await finish()
  }
}

/// Files for `pacat`. The long ones are never played to their end.
private final class Sounds: Sendable {
  static let rate = 8000
  static let format = ["--raw", "--format=s16le", "--channels=1", "--rate=\(rate)"]

  let folder: URL
  let tone, beep, silence, beepBeforeSilence: URL

  init() throws {
    let folder = try URL.newFolder("sounds")
    self.folder = folder
    let period: [Int16] = [0, 5000, 10_000, 5000, 0, -5000, -10_000, -5000]
    func write(_ name: String, tone: Int, silence: Int) throws -> URL {
      let samples =
        (0..<tone * Self.rate).map { period[$0 % period.count] }
        + [Int16](repeating: 0, count: silence * Self.rate)
      let file = folder.appendingPathComponent(name)
      try samples.withUnsafeBytes { try Data($0).write(to: file) }
      return file
    }
    tone = try write("tone", tone: 600, silence: 0)
    beep = try write("beep", tone: 1, silence: 0)
    silence = try write("silence", tone: 0, silence: 1)
    beepBeforeSilence = try write("both", tone: 1, silence: 600)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
