import Concurrency
import Foundation

/// The latency of the default device as the sound server reports it: PulseAudio, or PipeWire in its place.
enum SoundServer {
  struct Latency: Hashable, Sendable, CustomStringConvertible {
    var microseconds: Int

    var description: String { String(format: "%.0f ms", Double(microseconds) / 1000) }
  }

  /// - Returns: nil without `pactl`, without a server, or if the device reports nothing.
  static func latency() async -> Latency? {
    let environment = ProcessInfo.processInfo.environment
    guard let pactl = Executable.path(of: "pactl", environment) else { return nil }
    let limit = Duration.seconds(2)
    async let name = OwnedThread.run("pactl", atMost: limit) {
      output(of: pactl, ["get-default-sink"])
    }
    async let sinks = OwnedThread.run("pactl", atMost: limit) {
      output(of: pactl, ["list", "sinks"])
    }
    guard let name = await name ?? nil, let sinks = await sinks ?? nil else { return nil }
    return latency(ofSink: name.trimmingCharacters(in: .whitespacesAndNewlines), in: sinks)
  }

  /// - Parameter text: the output of `pactl list sinks`, in English. For an idle sink, the configured latency counts.
  static func latency(ofSink name: String, in text: String) -> Latency? {
    var isWanted = false
    for line in text.split(separator: "\n").map({ $0.trimmingPrefix(while: \.isWhitespace) }) {
      if line.hasPrefix("Name: ") { isWanted = line.dropFirst(6) == name }
      guard isWanted, line.hasPrefix("Latency: ") else { continue }
      // Latency: 12345 usec, configured 25000 usec
      let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
      return numbers.first { $0 > 0 }.map { Latency(microseconds: $0) }
    }
    return nil
  }

  private static func output(of program: String, _ arguments: [String]) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}
