import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Another program at the player's `input-ipc-server` (mpv's manual, "JSON IPC").
///
/// Calls block for a moment: mpv answers at once.
final class IPCClient {
  enum Failure: Error { case noConnection(errno: CInt), closed, refused(String) }

  private let descriptor: CInt
  private var received: [UInt8] = []
  private var lastRequest = 0
  /// The names of the events that came before the last answer.
  private(set) var events: [String] = []

  /// Connects. It retries until the socket exists: mpv opens it while it starts.
  init(path: String, within seconds: Double = 20) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        precondition(path.utf8.count < buffer.count, "the path is too long for a socket: \(path)")
        buffer.copyBytes(from: path.utf8)
      }
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if status == 0 {
        self.descriptor = descriptor
        return
      }
      let code = errno
      close(descriptor)
      guard Date() < deadline else { throw Failure.noConnection(errno: code) }
      usleep(5_000)
    }
  }

  deinit { close(descriptor) }

  /// Returns once mpv has carried the command out.
  func command(_ arguments: Any...) throws { _ = try answer(arguments) }
  func command(_ arguments: [String]) throws { _ = try answer(arguments) }

  func forgetEvents() { events = [] }

  /// Returns the current value of a property of mpv.
  func double(_ property: String) throws -> Double? {
    try answer(["get_property", property]) as? Double
  }

  /// Returns this instant in the clock that `dump-stats` uses.
  func microseconds() throws -> Double? { try answer(["get_time_us"]) as? Double }

  private func answer(_ arguments: [Any]) throws -> Any? {
    lastRequest += 1
    var line = try JSONSerialization.data(
      withJSONObject: ["command": arguments, "request_id": lastRequest])
    line.append(10)
    var rest = Array(line)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure.closed }
      rest = rest.dropFirst(count)
    }
    while true {
      let reply = try JSONSerialization.jsonObject(with: Data(try readLine())) as? [String: Any]
      if let event = reply?["event"] as? String { events.append(event) }
      guard let reply, reply["request_id"] as? Int == lastRequest else { continue }
      let error = reply["error"] as? String ?? ""
      guard error == "success" else { throw Failure.refused(error) }
      return reply["data"]
    }
  }

  private func readLine() throws -> [UInt8] {
    while true {
      if let end = received.firstIndex(of: 10) {
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        return line
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Failure.closed }
      received += buffer[..<count]
    }
  }
}
