import Foundation

/// A session bus for one test, and the programs with which people inspect theirs.
package final class SessionBus: Sendable {
  package let address: String
  private let folder: URL
  private let daemon: ChildProcess

  /// - Parameter folder: the folder of an earlier bus's socket, to restart the bus there.
  package init(in folder: URL? = nil) async throws {
    self.folder =
      folder
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: self.folder, withIntermediateDirectories: true)
    let socket = self.folder.appendingPathComponent("socket").path
    try? FileManager.default.removeItem(atPath: socket)
    address = "unix:path=\(socket)"
    let output = self.folder.appendingPathComponent("daemon-\(UUID().uuidString)")
    daemon = try ChildProcess.start(
      ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)"],
      output: output)
    _ = try await until(
      ["busctl", "--address=\(address)", "list", "--no-legend", "--no-pager"], is: { _ in true })
  }

  deinit {
    daemon.terminate()
    daemon.wait()
  }

  /// The folder of its socket, for a later bus at the same address.
  package var directory: URL { folder }

  package var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
  }

  /// Ends the bus as a crash does.
  package func kill9() { kill(daemon.id, SIGKILL) }

  /// Runs one of its clients to its end, on a thread of its own.
  package func run(_ arguments: String...) async throws -> String { try await run(arguments) }

  /// Repeats the command until the answer fulfils the condition.
  @discardableResult
  package func until(
    _ arguments: [String], is isWanted: (String) -> Bool
  ) async throws -> String {
    var last = ""
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      do {
        last = try await run(arguments)
        if isWanted(last) { return last }
      } catch {
        last = "\(error)"
      }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw ChildProcess.Failure("\(arguments) never answered as wanted; the last was: \(last)")
  }

  package func run(_ arguments: [String]) async throws -> String {
    let environment = environment
    let text = try await withCheckedThrowingContinuation {
      (done: CheckedContinuation<String, any Error>) in
      Thread.detachNewThread {
        done.resume(with: Result { try ChildProcess.run(arguments, environment: environment) })
      }
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns the players on it.
  package func players() async throws -> [String] {
    let names = try await run(
      "busctl", "--address=\(address)", "list", "--acquired", "--no-legend", "--no-pager")
    return names.split(separator: "\n").compactMap { line in
      let name = String(line.prefix { $0 != " " })
      return name.hasPrefix("org.mpris.MediaPlayer2.") ? name : nil
    }.sorted()
  }

  /// Waits until the players on it fulfil the condition.
  package func untilPlayers(_ isWanted: ([String]) -> Bool) async throws {
    var last: [String] = []
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      last = (try? await players()) ?? []
      if isWanted(last) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw ChildProcess.Failure("the players on the bus are \(last)")
  }

  package func watch() async throws -> BusWatcher { try await BusWatcher(of: self) }
}

/// A reader of all signals of players on a bus.
package final class BusWatcher: Sendable {
  private let bus: SessionBus
  private let output: URL
  private let monitor: ChildProcess

  fileprivate init(of bus: SessionBus) async throws {
    self.bus = bus
    output = bus.directory.appendingPathComponent("monitor-\(UUID().uuidString)")
    monitor = try ChildProcess.start(
      [
        "stdbuf", "-oL", "dbus-monitor", "--address", bus.address,
        "type='signal',path='/org/mpris/MediaPlayer2'",
      ], output: output)
    // From then on it is a monitor, and receives all messages.
    try await until { $0.contains("NameLost") }
  }

  deinit {
    monitor.terminate()
    monitor.wait()
  }

  private var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  @discardableResult
  private func until(_ isWanted: (String) -> Bool) async throws -> String {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      let text = text
      if isWanted(text) { return text }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw ChildProcess.Failure("the bus's signals are:\n\(text)")
  }

  /// Returns the players' signals up to now, a text for each signal, in order.
  package func signals() async throws -> [String] {
    let mark = "Mark\(UUID().uuidString.filter(\.isHexDigit))"
    _ = try await bus.run(
      "dbus-send", "--bus=\(bus.address)", "--type=signal", "/org/mpris/MediaPlayer2",
      "org.example.\(mark)")
    let all = try await until { $0.contains(mark) }
    return all.components(separatedBy: "\nsignal ").dropFirst().filter {
      !$0.contains("member=Mark") && $0.contains("path=/org/mpris/MediaPlayer2")
    }
  }

  /// Waits for a signal that contains all of these parts.
  package func untilSignal(_ parts: String...) async throws {
    try await until { text in
      text.components(separatedBy: "\nsignal ").contains { signal in
        parts.allSatisfy(signal.contains)
      }
    }
  }
}
