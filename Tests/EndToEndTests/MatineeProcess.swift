import Foundation
import ProcessTesting
import Synchronization

/// One `matinee` process in headless mode, driven as a script would.
final class MatineeProcess: Sendable {
  struct Missing: Error, CustomStringConvertible {
    var description: String
  }

  private struct State {
    var events: [Event] = []
    /// All events, whether or not a test waited for them.
    var history: [(event: Event, at: ContinuousClock.Instant)] = []
    var buffer = Data()
    var waiters: [Waiter] = []
    var hasEnded = false
    var nextID = 0
  }

  private struct Waiter {
    var id: Int
    var isWanted: @Sendable (Event) -> Bool
    var done: CheckedContinuation<Event?, Never>
  }

  /// One line of output.
  struct Event: Sendable, CustomStringConvertible {
    let name: String
    /// JSON objects are immutable here.
    nonisolated(unsafe) let fields: [String: Any]

    /// A Boolean value that indicates whether a state is that of a player that plays with the group, within 30 ms.
    var isInStep: Bool {
      string("status") == "playing" && flag("playerPaused") == false
        && (fields["suspensions"] as? [String]) == []
        && abs(number("syncErrorMs") ?? .infinity) < 30
    }

    /// Returns the part of a shared film that the participant with this name has, in percent; nil if it isn't known.
    func arrivedPercent(of name: String) -> Int? {
      let roster = fields["roster"] as? [[String: Any]] ?? []
      return roster.first { $0["name"] as? String == name }?["arrivedPercent"] as? Int
    }

    func string(_ key: String) -> String? { fields[key] as? String }
    func number(_ key: String) -> Double? { (fields[key] as? NSNumber)?.doubleValue }
    func flag(_ key: String) -> Bool? { (fields[key] as? NSNumber)?.boolValue }
    /// The port of the first address that a `hosting` event names.
    var port: Int? {
      let addresses = fields["addresses"] as? [[String: Any]]
      let text = addresses?.first?["address"] as? String
      return text?.split(separator: ":").last.flatMap { Int($0) }
    }
    var roster: [[String: Any]] { fields["roster"] as? [[String: Any]] ?? [] }
    var description: String { "\(fields)" }
    /// A state's fields that describe playback.
    var brief: String {
      ["status", "playerPaused", "playerPosition", "syncErrorMs", "suspensions"]
        .map { "\($0) \(fields[$0] ?? "")" }.joined(separator: ", ")
    }
  }

  /// A generous limit: it only decides how long a failure takes, however slow the machine is.
  static let deadline = Duration.seconds(60)

  /// Looks until something is found, and returns that.
  ///
  /// - Parameter reason: the text of the error at the deadline.
  static func find<Found>(
    _ reason: @autoclosure () throws -> String, _ look: () async throws -> Found?
  ) async throws -> Found {
    let end = ContinuousClock.now + deadline
    while true {
      if let found = try await look() { return found }
      guard .now < end else { throw Missing(description: try reason()) }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits until the condition is fulfilled.
  static func wait(
    _ reason: @autoclosure () throws -> String, until isSo: () async throws -> Bool
  ) async throws {
    try await find(try reason()) { try await isSo() ? () : nil }
  }

  /// The time between two requests for the state, so that they don't slow the processes.
  private static let pace = Duration.milliseconds(10)

  private let process = Process()
  private let input = Pipe()
  private let state = Mutex(State())

  /// The path of the program under test, which was built beside the tests.
  static var executable: URL { get throws { try BuiltProgram.url("matinee") } }

  /// - Parameters:
  ///   - display: an X server's name, for mpv's window; nil for no picture.
  ///   - environment: in addition to this process's.
  ///   - namespace: the network namespace to run in; nil for this process's.
  ///   - errors: the file to which standard error is added; nil for none.
  ///   - limit: an option of the shell's `ulimit` and its value, as in `-Sn 1024`; nil for this
  ///     process's limits.
  ///   - readsConfiguration: whether mpv's configuration and scripts below `XDG_CONFIG_HOME` apply.
  init(
    _ arguments: [String], display: String? = nil, environment more: [String: String] = [:],
    namespace: String? = nil, errors: String? = nil, limit: String? = nil,
    readsConfiguration: Bool = false
  ) throws {
    let output = Pipe()
    // Each program is replaced by the next, so that signals reach matinee.
    var prefix = try namespace.map {
      ["ip", "netns", "exec", $0, try Self.executable.path]
    }
    if let limit {
      prefix = ["sh", "-c", "ulimit \(limit) && exec \"$0\" \"$@\"", try Self.executable.path]
    }
    process.executableURL =
      prefix == nil ? try Self.executable : URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      (prefix ?? []) + arguments + [
        "--headless", readsConfiguration ? "--config" : "--no-config", "--video",
        display == nil ? "none" : "window",
      ]
      + ["--mpv", "ao=null"]
    // The tests neither read nor change the remembered data of the user who runs them.
    let state = Clips.folder.appendingPathComponent("state-\(UUID().uuidString)").path
    var environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("MATINEE_") }
      .merging(
        [
          "XDG_STATE_HOME": state, "XDG_CONFIG_HOME": state + "/config",
          "XDG_CACHE_HOME": state + "/cache",
          // The user's desktop doesn't show the tests' films either.
          "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
        ].merging(more) { $1 }
      ) { $1 }
    if let display {
      environment["WAYLAND_DISPLAY"] = nil
      environment["DISPLAY"] = display
    }
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try errors.map(Self.appending) ?? FileHandle.nullDevice
    try process.run()
    // Not a dispatch source: a child process that is being spawned meanwhile keeps the pipe's other
    // end open for a moment, and epoll would still report a source that is gone.
    let reading = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      while true {
        let data = reading.availableData
        self?.received(data)
        if data.isEmpty { return }
      }
    }
  }

  var id: pid_t { process.processIdentifier }

  private static func appending(to path: String) throws -> FileHandle {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Missing(description: "\(path): errno \(errno)") }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitForEnd()
  }

  func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Waits for the next event that fulfils the condition, among the events that were not awaited
  /// yet. What came before it can still be awaited, so that a test needn't know the order of events
  /// that don't depend on each other, nor ask before they come.
  func next(
    _ name: String, where isWanted: @escaping @Sendable (Event) -> Bool = { _ in true }
  ) async throws -> Event {
    let isRight: @Sendable (Event) -> Bool = { $0.name == name && isWanted($0) }
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let alarm = Task {
      try? await Task.sleep(for: Self.deadline)
      if !Task.isCancelled { self.giveUp(id) }
    }
    defer { alarm.cancel() }
    let event = await withCheckedContinuation { (done: CheckedContinuation<Event?, Never>) in
      let found: Event?? = state.withLock { state in
        if let index = state.events.firstIndex(where: isRight) {
          return .some(state.events.remove(at: index))
        }
        if state.hasEnded { return .some(nil) }
        state.waiters.append(Waiter(id: id, isWanted: isRight, done: done))
        return nil
      }
      if let found { done.resume(returning: found) }
    }
    guard let event else {
      let last = state.withLock { $0.history.filter { $0.event.name != "state" }.suffix(12) }
      let lines = last.map {
        "\((ContinuousClock.now - $0.at).components.seconds) s ago: \($0.event)"
      }
      throw Missing(
        description: "no \(name) came; what came last:\n\(lines.joined(separator: "\n"))")
    }
    return event
  }

  /// Waits for the question about the server of the party's film, and agrees.
  func agree() async throws {
    _ = try await next("confirm")
    try send("allow")
  }

  /// Denies the server that a question names, and waits until that is done: a film that comes first would end the
  /// question, and the answer would be an error.
  func deny() async throws {
    try send("deny")
    _ = try await currentState()
  }

  /// Returns all events of a kind since the start, or since an instant, with their instants.
  func history(
    of name: String, since start: ContinuousClock.Instant? = nil
  ) -> [(event: Event, at: ContinuousClock.Instant)] {
    state.withLock { state in
      state.history.filter { $0.event.name == name && $0.at >= start ?? $0.at }
    }
  }

  func currentState() async throws -> Event {
    try send("state")
    return try await next("state")
  }

  /// Requests the state until it fulfils the condition: every answer is an event, and the deadline
  /// holds.
  func state(where isWanted: @Sendable (Event) -> Bool) async throws -> Event {
    let start = ContinuousClock.now
    var last: Event?
    var history: [String] = []
    while ContinuousClock.now - start < Self.deadline {
      let event = try await currentState()
      if isWanted(event) { return event }
      last = event
      if ContinuousClock.now - start >= Self.deadline / 6 * history.count {
        history.append(event.brief)
      }
      try await Task.sleep(for: Self.pace)
    }
    throw Missing(
      description: "the state never came true; the last was \(last?.description ?? ""); before it: "
        + history.joined(separator: "; "))
  }

  /// Returns the exit code once the process has ended without a signal from the test.
  func exitCode(within limit: Duration = deadline) async throws -> Int32 {
    try? input.fileHandleForWriting.close()
    let process = process
    return try await withThrowingTaskGroup(of: Int32.self) { group in
      group.addTask {
        await withCheckedContinuation { done in
          DispatchQueue.global().async {
            done.resume(returning: process.waitForEnd())
          }
        }
      }
      group.addTask {
        try await Task.sleep(for: limit)
        kill(process.processIdentifier, SIGKILL)
        throw Missing(description: "the process didn't end")
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }

  func quit() async throws -> Int32 {
    try send("quit")
    return try await exitCode()
  }

  /// Ends the process without a message, as a crash does.
  func kill9() { kill(process.processIdentifier, SIGKILL) }

  func terminate() { process.terminate() }

  private func giveUp(_ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiters.remove(at: index)
    }
    waiter?.done.resume(returning: nil)
  }

  private func received(_ data: Data) {
    let resumptions: [(CheckedContinuation<Event?, Never>, Event?)] = state.withLock { state in
      var resumptions: [(CheckedContinuation<Event?, Never>, Event?)] = []
      if data.isEmpty {
        state.hasEnded = true
        resumptions = state.waiters.map { ($0.done, nil) }
        state.waiters = []
        return resumptions
      }
      state.buffer += data
      while let end = state.buffer.firstIndex(of: 10) {
        let line = state.buffer[..<end]
        state.buffer = Data(state.buffer[(end + 1)...])
        guard let fields = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
          let name = fields["event"] as? String
        else { continue }
        let event = Event(name: name, fields: fields)
        state.history.append((event, .now))
        if let index = state.waiters.firstIndex(where: { $0.isWanted(event) }) {
          resumptions.append((state.waiters.remove(at: index).done, event))
        } else {
          state.events.append(event)
        }
      }
      return resumptions
    }
    for (done, event) in resumptions { done.resume(returning: event) }
  }
}
