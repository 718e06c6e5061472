import BrokerTesting
import Foundation
import ProcessTesting

/// A real web server for one test, on ports of its own.
final class NginxServer: Sendable {
  let port: UInt16
  let tlsPort: UInt16
  private let process: ChildProcess
  private let folder: URL

  /// - Parameters:
  ///   - files: the served folder.
  ///   - locations: lines of its configuration.
  ///   - certificate: a PEM file and its key, which enable TLS too.
  init(
    _ files: URL, locations: String = "", certificate: (chain: String, key: String)? = nil
  ) async throws {
    let folder = try URL.newFolder("nginx")
    let (port, tlsPort) = (
      UInt16(Loopback.lastingPort()), UInt16(Loopback.lastingPort())
    )
    (self.folder, self.port, self.tlsPort) = (folder, port, tlsPort)
    let tls =
      certificate.map {
        "listen 127.0.0.1:\(tlsPort) ssl; ssl_certificate \($0.chain); ssl_certificate_key \($0.key);"
      } ?? ""
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path)/tmp;" }.joined(separator: "\n")
    try """
    daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/error.log;
    events {}
    http {
      log_format hosts "$host $request_uri"; access_log \(folder.path)/access.log hosts;
      \(temporary)
      types { video/mp4 mp4; application/vnd.apple.mpegurl m3u8; video/mp2t ts; text/html html; }
      server {
        listen 127.0.0.1:\(port); \(tls)
        root \(files.path);
        \(locations)
      }
    }
    """.write(to: folder.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
    // Debian installs it in a folder that is only in root's path.
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"
    let program = path.split(separator: ":").map { $0 + "/nginx" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    process = try ChildProcess.start(
      [program ?? "nginx", "-p", folder.path, "-c", folder.path + "/nginx.conf"],
      output: folder.appendingPathComponent("output"))
    _ = try await MatineeProcess.find("nginx doesn't listen: make test installs it") {
      try? PlainSocket(port: Int(port))
    }
  }

  deinit {
    process.terminate()
    process.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// A host and a path for each request so far.
  var requests: [String] {
    let text =
      (try? String(contentsOf: folder.appendingPathComponent("access.log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
