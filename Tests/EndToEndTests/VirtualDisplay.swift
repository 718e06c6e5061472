import Foundation
import ProcessTesting

/// An X server without a screen, with simulated input.
final class VirtualDisplay {
  let name: String
  private let server: ChildProcess
  private var windowManager: ChildProcess?
  private let size: (width: Int, height: Int)

  init(width: Int = 640, height: Int = 480) throws {
    size = (width, height)
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("display-\(UUID().uuidString)")
    guard mkfifo(output.path, 0o600) == 0 else {
      throw ChildProcess.Failure("mkfifo: errno \(errno)")
    }
    defer { try? FileManager.default.removeItem(at: output) }
    // Open for writing too, so that opening it doesn't wait for a writer.
    let descriptor = open(output.path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ChildProcess.Failure("opening a fifo: errno \(errno)")
    }
    defer { close(descriptor) }
    // It picks a free number, and writes it once it can be connected to.
    server = try ChildProcess.start(
      [
        "Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp",
        // The server doesn't reset when its only client disconnects: the next one may be
        // connecting.
        "-noreset",
        // Keys don't repeat: on a slow machine a key's release may come late.
        "-r",
      ],
      output: output)
    var text = ""
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      var byte: UInt8 = 0
      guard poll(&polled, 1, 20_000) == 1, read(descriptor, &byte, 1) == 1 else {
        server.terminate()
        throw ChildProcess.Failure("Xvfb doesn't say which display it is: \(text)")
      }
      text.append(Character(UnicodeScalar(byte)))
      // Warnings use the same pipe.
      guard byte == 10, let line = text.split(separator: "\n").last, let number = Int(line) else {
        continue
      }
      name = ":\(number)"
      return
    }
  }

  deinit {
    windowManager?.terminate()
    windowManager?.wait()
    server.terminate()
    server.wait()
  }

  /// Starts a window manager, so that windows have borders and positions, and can be closed.
  func startWindowManager() async throws {
    windowManager = try ChildProcess.start(
      ["openbox"], output: URL(fileURLWithPath: "/dev/null"), environment: environment)
    // It announces itself on the root window once it is in charge.
    let deadline = ContinuousClock.now + .seconds(20)
    while !(try run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]).contains("0x")) {
      guard .now < deadline else { throw ChildProcess.Failure("openbox doesn't start") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  struct Window: Hashable {
    var id: String
    var column: Int
    var row: Int
    var width: Int
    var height: Int
    var title: String
  }

  /// Returns the windows that the window manager knows.
  func windows() -> [Window] {
    // The command fails if a window closes while it runs.
    ((try? run(["wmctrl", "-lG"])) ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
      let numbers = fields.dropFirst(2).prefix(4).compactMap { Int($0) }
      guard fields.count == 8, numbers.count == 4 else { return nil }
      return Window(
        id: String(fields[0]), column: numbers[0], row: numbers[1], width: numbers[2],
        height: numbers[3], title: String(fields[7]))
    }
  }

  /// Asks a window to close, as its button does.
  func requestClosing(_ window: Window) throws { try run(["wmctrl", "-i", "-c", window.id]) }

  func property(_ name: String, of window: Window) throws -> String {
    try run(["xprop", "-id", window.id, name])
  }

  /// Types the text into the window with the keyboard focus.
  ///
  /// - Parameter delay: between two keys, in milliseconds.
  func type(_ text: String, delay: Int = 30) throws {
    try run(["xdotool", "type", "--delay", "\(delay)", text])
  }

  @discardableResult
  func run(_ command: [String]) throws -> String {
    try ChildProcess.run(["timeout", "20"] + command, environment: environment)
  }

  private var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging(["DISPLAY": name, "LC_ALL": "C.UTF-8"]) { $1 }
  }

  /// Waits for a window with this beginning of its title, and presses a key in it, by X's name of
  /// the key.
  func press(_ key: String, inWindow title: String) throws {
    try run([
      "xdotool", "search", "--sync", "--onlyvisible", "--name", "^" + title, "windowfocus",
      "--sync",
    ])
    // Sent to the focus and not to the window: with some keys the window closes.
    try run(["xdotool", "key", key])
  }

  /// Returns the display's current content.
  func screenshot() throws -> Screenshot {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("screen-\(UUID().uuidString).rgb")
    defer { try? FileManager.default.removeItem(at: file) }
    try ChildProcess.run([
      "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "x11grab", "-draw_mouse", "0",
      "-video_size", "\(size.width)x\(size.height)", "-i", name, "-frames:v", "1", "-f",
      "rawvideo", "-pix_fmt", "rgb24", file.path,
    ])
    return Screenshot(width: size.width, pixels: Array(try Data(contentsOf: file)))
  }
}

/// Pixels of three bytes: red, green, blue.
struct Screenshot {
  let width: Int
  let pixels: [UInt8]

  /// Returns the share of the screen that has about this colour, and its middle.
  func area(of color: [Int]) -> (share: Double, column: Double, row: Double) {
    var (count, columns, rows) = (0, 0, 0)
    let ranges = color.map { UInt8(max($0 - 12, 0))...UInt8(min($0 + 12, 255)) }
    let (red, green, blue) = (ranges[0], ranges[1], ranges[2])
    pixels.withUnsafeBufferPointer { pixels in
      // A screen has a million pixels, and this isn't optimized: no iterators, and no call for most pixels.
      var index = 0
      while index < pixels.count / 3 {
        if pixels[3 * index] >= red.lowerBound, pixels[3 * index] <= red.upperBound,
          green.contains(pixels[3 * index + 1]), blue.contains(pixels[3 * index + 2])
        {
          count += 1
          columns += index % width
          rows += index / width
        }
        index += 1
      }
    }
    guard count > 0 else { return (0, 0, 0) }
    return (
      Double(count) / Double(pixels.count / 3), Double(columns) / Double(count),
      Double(rows) / Double(count)
    )
  }
}
