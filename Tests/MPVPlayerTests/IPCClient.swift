import Foundation
import ProcessTesting

/// Another program at the player's `input-ipc-server` (mpv's manual, "JSON IPC").
///
/// Calls block for a moment: mpv answers at once.
final class IPCClient {
  enum Failure: Error { case closed, refused(String) }

  private let socket: UnixSocket
  private var lastRequest = 0
  /// The names of the events that came before the last answer.
  private(set) var events: [String] = []

  /// Connects. It retries until the socket exists: mpv opens it while it starts.
  init(path: String, within seconds: Double = 20) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      do {
        socket = try UnixSocket(path: path)
        return
      } catch {
        guard Date() < deadline else { throw error }
      }
      usleep(5_000)
    }
  }

  /// Returns once mpv has carried the command out.
  func command(_ arguments: Any...) throws { _ = try answer(arguments) }
  func command(_ arguments: [String]) throws { _ = try answer(arguments) }

  func forgetEvents() { events = [] }

  /// Returns the current value of a property of mpv.
  func double(_ property: String) throws -> Double? {
    try answer(["get_property", property]) as? Double
  }

  /// Returns the current value of an option; nil for one that is unset or unavailable.
  func text(_ property: String) throws -> String? {
    do {
      return try answer(["get_property", property]) as? String
    } catch Failure.refused("property unavailable") {
      return nil
    }
  }

  /// Returns this instant in the clock that `dump-stats` uses.
  func microseconds() throws -> Double? { try answer(["get_time_us"]) as? Double }

  private func answer(_ arguments: [Any]) throws -> Any? {
    lastRequest += 1
    let line = try JSONSerialization.data(
      withJSONObject: ["command": arguments, "request_id": lastRequest])
    guard socket.write(String(decoding: line, as: UTF8.self) + "\n") else { throw Failure.closed }
    while true {
      guard let line = socket.read(until: "\n") else { throw Failure.closed }
      let reply = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      if let event = reply?["event"] as? String { events.append(event) }
      guard let reply, reply["request_id"] as? Int == lastRequest else { continue }
      let error = reply["error"] as? String ?? ""
      guard error == "success" else { throw Failure.refused(error) }
      return reply["data"]
    }
  }
}
