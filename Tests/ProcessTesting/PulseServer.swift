import Foundation

/// A PulseAudio of a test's own, with a loudspeaker whose delay is reported to no program: what is played to `late` is
/// heard in `room` 200 ms later. `slow` is a microphone in that room whose delay nobody knows either: 120 ms.
package final class PulseServer: Sendable {
  private let folder: URL
  private let daemon: ChildProcess

  /// The environment of its clients.
  package let environment: [String: String]

  /// The path of its socket, for clients in the test's own process.
  package var socket: String { folder.appendingPathComponent("native").path }

  package init() async throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("pulse-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let socket = folder.appendingPathComponent("native").path
    let script = folder.appendingPathComponent("script")
    try """
    load-module module-native-protocol-unix socket=\(socket) auth-anonymous=1
    load-module module-null-sink sink_name=room rate=48000 channels=1 channel_map=mono
    load-module module-null-sink sink_name=late rate=48000 channels=1 channel_map=mono
    load-module module-null-sink sink_name=nowhere rate=48000 channels=1 channel_map=mono
    load-module module-null-sink sink_name=slow rate=48000 channels=1 channel_map=mono
    load-module module-loopback source=late.monitor sink=room latency_msec=200 adjust_time=0
    load-module module-loopback source=room.monitor sink=slow latency_msec=120 adjust_time=0
    set-default-source room.monitor

    """.write(to: script, atomically: true, encoding: .utf8)
    let own = [
      "PULSE_SERVER": "unix:\(socket)", "PULSE_RUNTIME_PATH": folder.path, "HOME": folder.path,
      "XDG_RUNTIME_DIR": folder.path, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    ]
    environment = own
    daemon = try ChildProcess.start(
      ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "-F", script.path],
      output: folder.appendingPathComponent("log"),
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 }
        .filter { $0.key != "PULSE_SERVER" })
    let end = ContinuousClock.now + .seconds(60)
    while true {
      do {
        let sources = try ChildProcess.run(
          ["pactl", "list", "short", "sources"],
          environment: ProcessInfo.processInfo.environment.merging(own) { $1 })
        if sources.contains("slow.monitor"), sources.contains("room.monitor") { return }
      } catch {
        guard ContinuousClock.now < end else { throw error }
      }
      guard ContinuousClock.now < end else {
        throw ChildProcess.Failure("PulseAudio doesn't start")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Ends the server as a crash does.
  package func kill9() { kill(daemon.id, SIGKILL) }

  deinit {
    daemon.terminate()
    daemon.wait()
    try? FileManager.default.removeItem(at: folder)
  }
}
