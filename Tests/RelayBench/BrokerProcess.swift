import BrokerTesting
import Foundation
import ProcessTesting

/// A broker under load, seen from outside.
final class BrokerProcess {
  enum Kind: String, CaseIterable { case natsServer = "nats-server", relay = "matinee relay" }

  let port: Int
  private let child: ChildProcess
  private let folder: URL

  /// Starts one and waits until it listens.
  ///
  /// - Parameter isUnlimited: a Boolean value that indicates whether a connection may send as much as it likes.
  init(_ kind: Kind, program: String, connections: Int, isUnlimited: Bool) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "relay-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = folder.appendingPathComponent("output")
    let arguments: [String]
    switch kind {
    case .natsServer:
      // Without keys and permissions, which would only make it slower.
      let settings = "host: \"127.0.0.1\"\nport: -1\nmax_connections: \(connections + 10)\n"
      let file = folder.appendingPathComponent("server.conf")
      try settings.write(to: file, atomically: true, encoding: .utf8)
      arguments = [program, "-c", file.path]
    case .relay:
      arguments =
        [
          program, "relay", "--listen", "127.0.0.1:0", "--max-connections",
          "\(2 * connections + 10)",
          "--max-address-connections", "\(connections + 10)",
        ] + (isUnlimited ? ["--max-message-rate", "1000000"] : [])
    }
    child = try ChildProcess.start(arguments, output: output)
    let deadline = Clock.nanoseconds() + 20_000_000_000
    var text = ""
    while true {
      text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      if let port = Self.port(in: text) {
        self.port = port
        return
      }
      guard Clock.nanoseconds() < deadline, kill(child.id, 0) == 0 else {
        kill(child.id, SIGKILL)
        child.wait()
        throw TestFailure("\(kind.rawValue) did not start: \(text)")
      }
      usleep(20_000)
    }
  }

  private static func port(in text: String) -> Int? {
    for line in text.split(separator: "\n")
    where line.contains("client connections on ") || line.contains("listening on ") {
      if let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return port }
    }
    return nil
  }

  func stop() {
    kill(child.id, SIGTERM)
    child.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Seconds of CPU so far, user and system: proc_pid_stat(5), fields 14 and 15.
  func cpuSeconds() throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(child.id)/stat", encoding: .utf8)
    // The name in parentheses may hold blanks.
    let fields = text[text.lastIndex(of: ")")!...].split(separator: " ")
    guard let user = Double(fields[12]), let system = Double(fields[13]) else {
      throw TestFailure("/proc/\(child.id)/stat: \(text)")
    }
    return (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  /// A line of /proc/PID/status in MiB: `VmRSS` now, `VmHWM` the most it has been.
  func memory(_ name: String) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(child.id)/status", encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1, let kibibytes = Double(words[1]) { return kibibytes / 1024 }
    }
    throw TestFailure("/proc/\(child.id)/status has no \(name)")
  }
}
