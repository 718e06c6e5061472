import Foundation
import ProcessTesting
import Synchronization

@testable import PathProbe

/// A ``PathProbe`` in a network namespace.
final class ProbeProcess: Sendable {
  struct Missing: Error, CustomStringConvertible {
    var description: String
  }

  private struct State {
    var buffer = Data()
    var events: [ProbeEvent] = []
    var hasEnded = false
  }

  private let process = Process()
  private let input = Pipe()
  private let state = Mutex(State())

  /// A generous limit: it only decides how long a failure takes, however slow the machine is.
  static let deadline = Duration.seconds(60)
  private static let pace = Duration.milliseconds(5)

  init(_ arguments: [String], namespace: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["ip", "netns", "exec", namespace, try BuiltProgram.url("PathProbe").path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let reading = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      while true {
        let data = reading.availableData
        self?.read(data)
        if data.isEmpty { return }
      }
    }
  }

  deinit { stop() }

  func send(_ command: ProbeCommand) throws {
    try input.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(command) + Data([10]))
  }

  /// All events so far.
  var events: [ProbeEvent] { state.withLock { $0.events } }

  /// Returns the first value that `choose` finds in the events from a position on.
  func first<Value>(
    from position: Int = 0, _ what: String, _ choose: (ProbeEvent) -> Value?
  ) async throws -> Value {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < Self.deadline {
      let (events, hasEnded) = state.withLock { ($0.events, $0.hasEnded) }
      for event in events.dropFirst(position) {
        if let value = choose(event) { return value }
      }
      if hasEnded { throw Missing(description: "the probe ended before \(what)") }
      try await Task.sleep(for: Self.pace)
    }
    throw Missing(
      description: "\(what) never came; the last events were \(events.suffix(8))")
  }

  /// Ends the probe, and waits for its end.
  func stop() {
    try? input.fileHandleForWriting.close()
    if process.isRunning { process.terminate() }
    process.waitForEnd()
  }

  private func read(_ data: Data) {
    state.withLock { state in
      guard !data.isEmpty else {
        state.hasEnded = true
        return
      }
      state.buffer += data
      while let end = state.buffer.firstIndex(of: 10) {
        let line = Data(state.buffer[..<end])
        state.buffer = Data(state.buffer[(end + 1)...])
        if let event = try? JSONDecoder().decode(ProbeEvent.self, from: line) {
          state.events.append(event)
        }
      }
    }
  }
}
