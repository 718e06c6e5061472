import Foundation
import ProcessTesting

/// An X server without a screen, and hands for it.
final class VirtualDisplay {
  let name: String
  private let server: ChildProcess

  init() throws {
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("display-\(UUID().uuidString)")
    guard mkfifo(output.path, 0o600) == 0 else {
      throw ChildProcess.Failure("mkfifo: errno \(errno)")
    }
    defer { try? FileManager.default.removeItem(at: output) }
    // For writing as well, so that opening it waits for nobody.
    let descriptor = open(output.path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ChildProcess.Failure("opening a fifo: errno \(errno)")
    }
    defer { close(descriptor) }
    // It picks a free number, and writes it once it can be connected to.
    server = try ChildProcess.start(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"], output: output)
    var text = ""
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      var byte: UInt8 = 0
      guard poll(&polled, 1, 20_000) == 1, read(descriptor, &byte, 1) == 1 else {
        server.terminate()
        throw ChildProcess.Failure("Xvfb doesn't say which display it is: \(text)")
      }
      text.append(Character(UnicodeScalar(byte)))
      // Warnings come by the same way.
      guard byte == 10, let line = text.split(separator: "\n").last, let number = Int(line) else {
        continue
      }
      name = ":\(number)"
      return
    }
  }

  deinit {
    server.terminate()
    server.wait()
  }

  /// Waits for a window whose title begins so, and presses a key in it, as X calls the key.
  func press(_ key: String, inWindow title: String) throws {
    try ChildProcess.run(
      [
        "timeout", "20", "xdotool", "search", "--sync", "--onlyvisible", "--name", "^" + title,
        "windowfocus", "--sync", "key", key,
      ], environment: ProcessInfo.processInfo.environment.merging(["DISPLAY": name]) { $1 })
  }
}
