import Foundation
import ProcessTesting

/// A friend with Syncplay: Debian's client in its console, with mpv as its player.
final class SyncplayClient: @unchecked Sendable {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/syncplay")

  private let process = Process()
  private let input = Pipe()
  private let path: String
  private let log: URL
  // Used by one test at a time.
  private var socket: UnixSocket?
  private var player: pid_t?

  /// - Parameter authority: a PEM file with the only certificates that the client trusts; nil for the system's.
  init(
    _ name: String, at address: String, password: String = "", _ film: String,
    trusting authority: String? = nil
  ) throws {
    let home = try Clips.newFolder("syncplay").path
    if let authority {
      // The client asks this module of Python for the file.
      try "def where(): return '\(authority)'\n".write(
        toFile: home + "/certifi.py", atomically: true, encoding: .utf8)
    }
    // The path of a socket has 107 bytes at most.
    path = Clips.folder.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/syncplay")
    process.arguments = [
      "--no-gui", "--no-store", "--host", address, "--name", name, "--room", "den", "--password",
      password, "--player-path", "/usr/bin/mpv", film, "--", "--input-ipc-server=\(path)",
      "--vo=null", "--ao=null", "--config=no",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["HOME": home, "XDG_CONFIG_HOME": home, "PYTHONPATH": home]) { $1 }
    process.standardInput = input
    log = Clips.folder.appendingPathComponent("\(UUID().uuidString).log")
    try Data().write(to: log)
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit { end() }

  /// Ends the client, and its player.
  func end() {
    guard process.isRunning else { return }
    // It ends with its player.
    press(#""quit""#)
    // A client that is asked to end may connect again instead.
    kill(process.processIdentifier, SIGKILL)
  }

  /// The text in the client's console.
  var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  /// Types a line in the client's console.
  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Presses a key in the player's window, so to speak.
  func press(_ command: String) { _ = answer(command) }

  /// - Returns: the player's position, if it has a film.
  func position() -> Double? { (answer(#""get_property","time-pos""#) as? NSNumber)?.doubleValue }

  /// Stops the player, or lets it continue.
  func freeze(_ isFrozen: Bool) {
    if isFrozen { player = (answer(#""get_property","pid""#) as? NSNumber)?.int32Value }
    if let player { kill(player, isFrozen ? SIGSTOP : SIGCONT) }
  }

  func isPaused() -> Bool { (answer(#""get_property","pause""#) as? NSNumber)?.boolValue ?? true }

  private func answer(_ command: String) -> Any? {
    if socket == nil { socket = try? UnixSocket(path: path, patience: 2) }
    socket?.write(#"{"command":[\#(command)],"request_id":7}"# + "\n")
    while let line = socket?.read(until: "\n") {
      let answer = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      if (answer?["request_id"] as? NSNumber)?.intValue == 7 { return answer?["data"] }
    }
    return nil
  }
}
