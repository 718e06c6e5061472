import Foundation
import NKeys

@testable import GroupActivities

/// A real `nats-server` on a free port of loopback, ended with this object.
final class NATSServer: Sendable {
  let port: Int
  private let process: Process
  private let folder: URL

  struct Unavailable: Error, CustomStringConvertible {
    var description = "nats-server is needed: apt install nats-server (make test does it)"
  }

  /// - Parameter key: who is admitted; nil for everybody, without a challenge.
  init(key: AdmissionKey?) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-nats-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = "listen: 127.0.0.1:-1\nmax_payload: 65536\nmax_control_line: 4096\n"
    if let key {
      let text = NKey.userText(publicKey: key.publicKey)
      let prefix = PartySubjects(admissionPublicKey: key.publicKey).prefix
      configuration += """
        authorization { timeout: 2, users = [ { nkey: \(text), permissions: {
          publish: ["\(prefix).>", "_INBOX.>"], subscribe: ["\(prefix).>", "_INBOX.>"] } } ] }

        """
    }
    let file = folder.appendingPathComponent("nats.conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    let path = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path else { throw Unavailable() }
    process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-c", file.path, "--ports_file_dir", folder.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    port = try Self.port(in: folder, of: process)
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The server writes its ports to a file once it listens.
  private static func port(in folder: URL, of process: Process) throws -> Int {
    struct Ports: Decodable { var nats: [String] }
    let file = folder.appendingPathComponent("nats-server_\(process.processIdentifier).ports")
    let deadline = Date().addingTimeInterval(20)
    while Date() < deadline, process.isRunning {
      if let data = try? Data(contentsOf: file),
        let ports = try? JSONDecoder().decode(Ports.self, from: data),
        let port = ports.nats.first.flatMap({ URL(string: $0)?.port })
      {
        return port
      }
      sched_yield()
    }
    throw Unavailable(description: "nats-server didn't start")
  }
}
