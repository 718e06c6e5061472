import Foundation
import ProcessTesting

/// mpv without Matinee, whose figures the tests compare with.
enum PlainMPV {
  /// How long mpv may take to open a film, or to reach a position. Some kinds of films make it wait for ever.
  private static let patience = 10

  /// Returns where mpv lands when it is sent to each of these positions, in seconds; nil where it lands nowhere.
  ///
  /// - Parameter film: a path or a URL.
  static func landings(in film: String, at targets: [Double]) async throws -> [Double?] {
    try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread { done.resume(with: Result { try measure(film, targets) }) }
    }
  }

  private static func measure(_ film: String, _ targets: [Double]) throws -> [Double?] {
    let folder = URL.temporaryDirectory.appending(path: "mpv-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "socket").path
    let mpv = try ChildProcess.start(
      [
        "mpv", "--no-config", "--vo=null", "--ao=null", "--pause", "--idle", "--keep-open",
        "--hr-seek=yes", "--input-ipc-server=\(path)",
      ], output: folder.appending(path: "output"))
    defer {
      mpv.terminate()
      mpv.wait()
    }
    let socket = try connect(path)
    guard try exchange(socket, "[\"loadfile\", \(quoted(film))]", until: "playback-restart") else {
      return targets.map { _ in nil }
    }
    return try targets.map { target in
      let seek = "[\"seek\", \(target), \"absolute+exact\"]"
      guard try exchange(socket, seek, until: "playback-restart") else { return nil }
      socket.write("{\"command\": [\"get_property\", \"time-pos\"], \"request_id\": 7}\n")
      while let line = socket.read(until: "\n") {
        let answer = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        if answer?["request_id"] as? Int == 7 { return answer?["data"] as? Double }
      }
      return nil
    }
  }

  private static func connect(_ path: String) throws -> UnixSocket {
    let end = ContinuousClock.now + MatineeProcess.deadline
    while true {
      do {
        return try UnixSocket(path: path, patience: patience)
      } catch {
        guard ContinuousClock.now < end else { throw error }
        usleep(10_000)
      }
    }
  }

  /// Sends a command and waits for an event.
  ///
  /// - Returns: false if the event doesn't come.
  private static func exchange(
    _ socket: UnixSocket, _ command: String, until event: String
  ) throws -> Bool {
    socket.write("{\"command\": \(command)}\n")
    let end = ContinuousClock.now + .seconds(patience)
    while ContinuousClock.now < end, let line = socket.read(until: "\n") {
      let answer = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      if answer?["event"] as? String == event { return true }
    }
    return false
  }

  private static func quoted(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }
}
