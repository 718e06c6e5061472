import BrokerTesting
import Foundation
import ProcessTesting
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting
@testable import PlaybackCoordination

/// A party of three while three hostile guests and thousands of strangers attack it, compared with the minute before.
@Suite(
  "A party among hostile guests and strangers", .serialized,
  .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-siege)"))
struct HostileCrowdTests {
  /// Seconds of the attack: `SIEGE=60 make bench-siege`.
  private static let seconds =
    ProcessInfo.processInfo.environment["SIEGE"].flatMap { Int($0) } ?? 600
  private static let strangerCount = 5000
  private static let calm = 60

  @Test("It stays in sync, and its memory, threads and descriptors return to their former levels")
  func siege() async throws {
    let film = Clips.folder.appendingPathComponent("long.flac").path
    // Broadband, and long enough for the whole attack.
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "anoisesrc=d=\(Self.seconds + 2 * Self.calm + 60):a=0.1:r=44100", film,
    ])
    var sockets: [String: String] = [:]
    func options(_ name: String) -> [String] {
      let socket = Clips.folder.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
      sockets[name] = socket
      return [film, "--name", name, "--mpv", "input-ipc-server=\(socket)"]
    }
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--control", "hosts"] + options("Ana"))
    let hosting = try await ana.next("hosting")
    let invite = try #require(hosting.string("invite"))
    let port = try #require(hosting.port)
    var members = [ana]
    _ = try await ana.next("opened")
    for name in ["Ben", "Chi"] {
      let guest = try MatineeProcess(["join", invite] + options(name))
      _ = try await guest.next("opened")
      members.append(guest)
    }
    for member in members { _ = try await member.state { $0.roster.count == 3 } }
    try ana.send("play")
    for member in members {
      _ = try await member.state {
        $0.flag("playerPaused") == false && abs($0.number("syncErrorMs") ?? 1000) < 5
      }
    }
    let host = ProcessUse(ana.id)
    func measure(_ seconds: Int) async throws -> [Double] {
      let recorder = PlaceRecorder(try sockets.mapValues { try PlaceProbe(path: $0) })
      for _ in 0..<seconds {
        try await Task.sleep(for: .seconds(1))
        try host.note()
      }
      return Self.distances(recorder.stop())
    }

    let before = try await measure(Self.calm)
    let start = try host.now()
    host.most = start

    let attack = try await Attack(on: ana, invite, port: port, strangers: Self.strangerCount)
    let during = try await measure(Self.seconds)
    let most = host.most
    try ana.send("chat still here")
    for member in members.dropFirst() {
      _ = try await member.next("chat") { $0.string("text") == "still here" }
    }
    let sent = await attack.end()

    // Sessions and buffers of attackers end with their deadlines.
    let after = try await measure(Self.calm)
    let end = try host.now()
    print(
      """
      siege: \(Self.seconds) s, \(Self.strangerCount) strangers' connections at a time, \(sent)
      siege: distance of two players, median, 99 % and most in ms: before \(Self.line(before)), \
      during \(Self.line(during)), after \(Self.line(after))
      siege: the host before \(start), most \(most), after \(end)
      """)
    #expect(Self.quantile(during, 0.99) <= 5)
    #expect(most.kilobytes - start.kilobytes <= 100 * 1024)
    #expect(end.descriptors <= start.descriptors + 4)
    #expect(end.threads <= start.threads + 4)
    for member in members {
      let state = try await member.currentState()
      #expect(state.string("status") == "playing")
      #expect(try await member.quit() == 0)
    }
  }

  // MARK: - Distances

  /// The distances of two players at one instant, in milliseconds.
  private static func distances(_ readings: [String: [PlaceProbe.Reading]]) -> [Double] {
    let good = readings.mapValues { $0.filter(\.isUseful) }
    guard let first = good["Ana"] else { return [] }
    return good.filter { $0.key != "Ana" }.values.flatMap { others in
      var index = 0
      return others.compactMap { other -> Double? in
        while index + 1 < first.count, first[index + 1].instant <= other.instant { index += 1 }
        guard index < first.count, abs(first[index].instant - other.instant) < 0.2 else {
          return nil
        }
        return abs(first[index].offset - other.offset) * 1e3
      }
    }
  }

  private static func quantile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty
      ? .infinity : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private static func line(_ values: [Double]) -> String {
    [quantile(values, 0.5), quantile(values, 0.99), values.max() ?? .infinity]
      .map { String(format: "%.2f", $0) }.joined(separator: ", ") + " (\(values.count) readings)"
  }
}

/// The resources that a process uses, measured from outside.
private final class ProcessUse {
  struct Use: CustomStringConvertible {
    var kilobytes = 0
    var threads = 0
    var descriptors = 0

    var description: String {
      "\(kilobytes / 1024) MB, \(threads) threads, \(descriptors) descriptors"
    }
  }

  private let process: pid_t
  var most = Use()

  init(_ process: pid_t) { self.process = process }

  func now() throws -> Use {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    func number(_ name: String) -> Int {
      status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        .flatMap { line in Int(line.filter(\.isNumber)) } ?? 0
    }
    return Use(
      kilobytes: number("VmRSS"), threads: number("Threads"),
      descriptors: try OpenDescriptors.count(of: process))
  }

  func note() throws {
    let use = try now()
    most.kilobytes = max(most.kilobytes, use.kilobytes)
    most.threads = max(most.threads, use.threads)
    most.descriptors = max(most.descriptors, use.descriptors)
  }
}

/// Strangers that connect again and again and send nothing, and three admitted guests that follow no rules.
private final class Attack: Sendable {
  private let guests: [HostileGuest]
  private let tasks: [Task<Void, Never>]
  private let isOver = Mutex(false)
  private let strangersEnded = DispatchSemaphore(value: 0)
  private let counts = Counts()

  private final class Counts: Sendable {
    private let numbers = Mutex<[String: Int]>([:])

    func note(_ what: String) { numbers.withLock { $0[what, default: 0] += 1 } }

    var text: String {
      numbers.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        .joined(separator: ", ")
    }
  }

  init(
    on host: MatineeProcess, _ invite: String, port: Int, strangers: Int
  ) async throws {
    var guests: [HostileGuest] = []
    for name in ["Mallory", "Mallet", "Malvin"] {
      guests.append(try await HostileGuest.joining(host, invite, name: name))
    }
    let session = try await guests[0].session()
    let report = try await guests[0].report(of: guests[0].party, in: session.id)
    let item = try #require(report.item)
    self.guests = guests
    _ = OpenDescriptors.raiseLimit()
    let counts = counts
    func every(_ interval: Duration, _ body: @escaping @Sendable (Int) throws -> Void) -> Task<
      Void, Never
    > {
      Task {
        var number = 0
        while (try? await Task.sleep(for: interval)) != nil {
          number += 1
          // A guest that was cut off continues without effect: the test measures the host.
          try? body(number)
        }
      }
    }
    let (mallory, mallet, malvin) = (guests[0], guests[1], guests[2])
    let extremes: [Double] = [1e21, 1e30, 1e308, -1e30, .leastNonzeroMagnitude, 0]
    tasks = [
      // Control without permission, with extreme numbers, and the host's own state once more.
      every(.milliseconds(10)) { number in
        var state = ItemState(
          item: item, stamp: mallory.stamp(), originator: mallory.identity.id, change: .seek,
          rate: 1,
          phase: .playing(
            Timeline(
              itemTime: MediaTime(seconds: 3), groupTime: HostileGuest.groupTime,
              previousRate: extremes[number % extremes.count])))
        if number % 7 == 0, let own = report.state { state = own }
        try mallory.say(
          .coordination(
            CoordinationReport(
              session: session.id,
              data: try mallory.signedReport(state, in: session.id, revision: UInt64(number)),
              version: UInt64(number))))
        counts.note("states")
      },
      // Incomplete messages.
      every(.milliseconds(6)) { number in
        try mallet.say(
          .app(
            AppMessage(
              session: session.id, type: "t\(number % 64)", version: 1,
              data: Data(count: AppMessage.partSize), recipients: nil,
              part: .init(message: UInt64(number), index: 0, count: 2))))
        counts.note("parts")
      },
      // Questions with long answers, and claims about the guest's arrival.
      every(.milliseconds(5)) { number in
        switch number % 4 {
        case 0: try malvin.say(.stateRequest)
        case 1: try malvin.say(.policyLogRequest)
        case 2: try malvin.say(.coordinationRequest)
        default: try malvin.say(.beacon(HostileGuest.beacon("Malvin", joinedAt: .min + 5)))
        }
        counts.note("questions")
      },
    ]
    let thread = Thread { [self] in
      var held: [PlainSocket?] = Array(repeating: nil, count: strangers)
      var next = 0
      while !isOver.withLock({ $0 }) {
        // Twice as many in a second as may stay for their two seconds.
        for _ in 0..<100 {
          held[next] = nil
          held[next] = try? PlainSocket(port: port, from: "127.0.0.\(2 + next % 8)")
          counts.note("connections")
          next = (next + 1) % strangers
        }
        usleep(40_000)
      }
      held = []
      strangersEnded.signal()
    }
    thread.start()
  }

  /// - Returns: the number of sent messages, by kind.
  func end() async -> String {
    for task in tasks { task.cancel() }
    isOver.withLock { $0 = true }
    await onThread { self.strangersEnded.wait() }
    for guest in guests { await guest.leave() }
    return counts.text
  }
}
