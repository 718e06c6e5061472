import Foundation
import ProcessTesting
import Synchronization

/// A real `nats-server` for one test, on a port of its own.
package final class NATSServer: Sendable {
  package let port: Int
  /// The port for WebSocket clients; nil without a `websocket` block.
  package let webSocketPort: Int?
  private let pid: pid_t
  private let process: Mutex<Process?>
  private let directory: URL

  /// Starts one, waits until it listens, and ends it after `body`, whatever happens there.
  ///
  /// - Parameter settings: lines of its configuration; its address is added.
  package static func run<Value: Sendable>(
    _ settings: String, port: Int = -1,
    _ body: (NATSServer) async throws -> Value
  ) async throws -> Value {
    let server = try await start(settings, port: port)
    do {
      let value = try await body(server)
      await server.kill()
      return value
    } catch {
      await server.kill()
      throw error
    }
  }

  package static func start(_ settings: String, port: Int = -1) async throws -> NATSServer {
    try await onThread { try NATSServer(settings, port: port) }.get()
  }

  private init(_ settings: String, port: Int) throws {
    let program = try Self.find()
    directory = try URL.newFolder("nats-server")
    let file = directory.appendingPathComponent("server.conf")
    try "host: \"127.0.0.1\"\nport: \(port)\n\(settings)\n".write(
      to: file, atomically: true, encoding: .utf8)
    let process = Process()
    let log = Pipe()
    process.executableURL = program
    process.arguments = ["-c", file.path]
    process.standardError = log
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
    do {
      (self.port, webSocketPort) = try Self.waitUntilReady(log.fileHandleForReading)
    } catch {
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitForEnd()
      throw error
    }
    // Otherwise the server would stop when the pipe is full. Not by a dispatch source: see
    // `MatineeProcess`.
    let reading = log.fileHandleForReading
    Thread.detachNewThread { while !reading.availableData.isEmpty {} }
  }

  package var address: String { "127.0.0.1:\(port)" }

  /// Ends it at once, as a crash would. Idempotent.
  package func kill() async {
    guard let process = process.withLock({ $0.take() }) else { return }
    Foundation.kill(pid, SIGKILL)
    await onThread { _ = process.waitForEnd() }
    try? FileManager.default.removeItem(at: directory)
  }

  static func find() throws -> URL {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    let candidates = folders.map { URL(fileURLWithPath: $0).appendingPathComponent("nats-server") }
    guard
      let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else {
      throw TestFailure("nats-server is not installed: apt-get install nats-server")
    }
    return found
  }

  /// Reads the log up to the line that says it is ready; earlier lines have the ports.
  private static func waitUntilReady(_ log: FileHandle) throws -> (port: Int, webSocket: Int?) {
    var text = ""
    var port: Int?
    var webSocketPort: Int?
    while true {
      let data = log.availableData
      guard !data.isEmpty else { throw TestFailure("nats-server did not start: \(text)") }
      text += String(decoding: data, as: UTF8.self)
      for line in text.split(separator: "\n") where line.contains("client connections on") {
        port = line.split(separator: ":").last.flatMap { Int($0) }
      }
      for line in text.split(separator: "\n") where line.contains("websocket clients on") {
        webSocketPort = line.split(separator: ":").last.flatMap { Int($0) }
      }
      if text.contains("Server is ready"), let port { return (port, webSocketPort) }
    }
  }
}

/// A failure of a test's setup.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Runs blocking calls on a thread of their own, not in Swift's pool.
package func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async -> Result<Value, any Error> {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: Result { try body() }) }.start()
  }
}

package func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread {
      body()
      continuation.resume()
    }.start()
  }
}
