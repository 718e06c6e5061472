import Foundation
import ProcessTesting
import Synchronization

/// Real `nats-server` nodes on this machine, with Matinee's shipped configuration.
package struct NATSCluster: Sendable {
  package let nodes: [NATSNode]

  /// The folder with the configuration for operators.
  package static let configuration = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/NATSTransport/NATSTransport.docc/Resources")

  /// Starts a cluster, waits until its nodes know each other, and ends it after `body`.
  ///
  /// - Parameter access: the content of `access.conf`; nil for the shipped file.
  package static func run<Value: Sendable>(
    nodes count: Int = 3, access: String? = nil,
    _ body: (NATSCluster) async throws -> Value
  ) async throws -> Value {
    let cluster = try NATSCluster(nodes: count, access: access)
    do {
      for node in cluster.nodes { try await node.start() }
      try await cluster.waitUntilMeshed()
      let value = try await body(cluster)
      await cluster.remove()
      return value
    } catch {
      await cluster.remove()
      throw error
    }
  }

  private let folder: URL

  private init(nodes count: Int, access: String?) throws {
    folder = try URL.newFolder("nats-cluster")
    for name in ["cluster.conf", "access.conf"] {
      try FileManager.default.copyItem(
        at: Self.configuration.appendingPathComponent(name),
        to: folder.appendingPathComponent(name))
    }
    if let access {
      try access.write(
        to: folder.appendingPathComponent("access.conf"), atomically: true, encoding: .utf8)
    }
    let ports = try PlainSocket.freePorts(count * 3)
    let routes = (0..<count).map { "\"nats://127.0.0.1:\(ports[$0 * 3 + 1])\"" }
    let file = folder.appendingPathComponent("cluster.conf")
    let folder = folder
    nodes = (0..<count).map { index in
      NATSNode(
        name: String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))), file: file,
        log: folder.appendingPathComponent("\(index).log"), port: ports[index * 3],
        routePort: ports[index * 3 + 1], monitorPort: ports[index * 3 + 2],
        routes: "[\(routes.joined(separator: ", "))]")
    }
  }

  /// Waits until every running node has a route to each of the others.
  package func waitUntilMeshed() async throws {
    let running = nodes.filter(\.isRunning)
    for node in running {
      try await node.wait(for: "routes to \(running.count - 1) others") {
        try $0.monitor("routez").contains("\"num_routes\": \(running.count - 1),")
      }
    }
  }

  /// The node at an address `HOST:PORT`.
  package func node(at address: String) -> NATSNode? { nodes.first { $0.address == address } }

  private func remove() async {
    for node in nodes { await node.kill() }
    try? FileManager.default.removeItem(at: folder)
  }
}

/// One node, which can be killed, frozen and started again under the same address.
package final class NATSNode: Sendable {
  package let name: String
  package let port: Int
  package let monitorPort: Int
  private let file: URL
  private let log: URL
  private let environment: [String: String]
  private let process = Mutex<Process?>(nil)

  init(
    name: String, file: URL, log: URL, port: Int, routePort: Int, monitorPort: Int, routes: String
  ) {
    self.name = name
    self.file = file
    self.log = log
    self.port = port
    self.monitorPort = monitorPort
    environment = [
      "NODE": "\"\(name)\"", "LISTEN": "\"127.0.0.1:\(port)\"",
      "CLUSTER": "\"127.0.0.1:\(routePort)\"", "MONITOR": "\"127.0.0.1:\(monitorPort)\"",
      "ROUTES": routes,
    ]
  }

  package var address: String { "127.0.0.1:\(port)" }

  package var isRunning: Bool { process.withLock { $0 != nil } }

  /// The process, while it runs.
  package var pid: pid_t? { process.withLock { $0?.processIdentifier } }

  /// Starts it, and waits until it accepts clients.
  package func start() async throws {
    let process = Process()
    process.executableURL = try NATSServer.find()
    process.arguments = ["-c", file.path, "-l", log.path]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
    try await wait(for: "its readiness") { try $0.monitor("healthz").contains("\"ok\"") }
  }

  /// Ends it at once, as a crash would. Idempotent.
  package func kill() async {
    signal(SIGCONT)
    signal(SIGKILL)
    await waitUntilGone()
  }

  /// Stops it: from now on it answers nothing, and its connections stay open.
  package func freeze() { signal(SIGSTOP) }

  package func thaw() { signal(SIGCONT) }

  /// Makes it send its clients to other nodes and end, as `nats-server --signal ldm` does.
  package func retire() async {
    signal(SIGUSR2)
    await waitUntilGone()
  }

  private func signal(_ number: CInt) {
    process.withLock { process in
      if let process, process.isRunning { Foundation.kill(process.processIdentifier, number) }
    }
  }

  private func waitUntilGone() async {
    guard let process = process.withLock({ $0.take() }) else { return }
    await onThread { _ = process.waitForEnd() }
  }

  /// Returns the text of one of the monitoring pages, with its HTTP header.
  package func monitor(_ page: String) throws -> String {
    let socket = try PlainSocket(port: monitorPort)
    socket.send("GET /\(page) HTTP/1.0\r\n\r\n")
    return String(decoding: try socket.readToEnd(), as: UTF8.self)
  }

  /// Asks until the condition holds.
  func wait(
    for what: String, _ condition: @escaping @Sendable (NATSNode) throws -> Bool
  ) async throws {
    try await onThread { [self] in
      let deadline = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < deadline {
        if (try? condition(self)) == true { return }
        guard process.withLock({ $0?.isRunning == true }) else { break }
        usleep(20_000)
      }
      let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw TestFailure("node \(name) never had \(what): \(said.suffix(1500))")
    }.get()
  }
}

extension PlainSocket {
  /// Returns ports of 127.0.0.1 that were free a moment ago, all different.
  package static func freePorts(_ count: Int) throws -> [Int] {
    let sockets = try (0..<count).map { _ in try Loopback.listen() }
    for socket in sockets { close(socket.descriptor) }
    return sockets.map(\.port)
  }
}
