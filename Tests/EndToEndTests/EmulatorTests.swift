import Foundation
import ProcessTesting
import Testing

/// The picture as users see it: in real terminals on a real display, from screenshots.
@Suite("The picture in real terminals", .serialized)
struct EmulatorTests {
  private static let terminals: [String: [String]] = [
    "xterm": [
      "xterm", "-u8", "-fa", "DejaVu Sans Mono", "-fs", "9", "-geometry", "100x32+0+0", "-e",
    ],
    "kitty": [
      "kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o",
      "initial_window_width=100c", "-o", "initial_window_height=32c", "-o",
      "update_check_interval=0", "-o", "font_size=9",
    ],
  ]

  @Test(
    "The film's frame appears in the pane, with its colours and its shape",
    arguments: [("xterm", "auto"), ("kitty", "auto"), ("kitty", "halves")])
  func frame(terminal: String, blocks: String) async throws {
    let display = try VirtualDisplay(width: 1200, height: 800)
    let folder = try URL.newFolder("matinee")
    defer { try? FileManager.default.removeItem(at: folder) }
    var environment = ProcessInfo.processInfo.environment
    for name in ["WAYLAND_DISPLAY", "COLORTERM", "TMUX", "TERM"] { environment[name] = nil }
    environment["DISPLAY"] = display.name
    environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
    environment["LC_ALL"] = "C.UTF-8"
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
      environment[name] = folder.path
    }
    let child = try ChildProcess.start(
      Self.terminals[terminal]! + [
        try MatineeProcess.executable.path, "--video", "terminal", "--blocks", blocks,
        "--no-config", "--mpv",
        "ao=null", try PaneTests.film.get(),
      ], output: folder.appendingPathComponent("log"), environment: environment)
    defer {
      child.terminate()
      child.wait()
    }
    let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    let log = folder.appendingPathComponent("log")
    let areas = try await MatineeProcess.find(
      "\(terminal) shows no picture; its log: \((try? String(contentsOf: log, encoding: .utf8)) ?? "")"
    ) {
      let areas = try display.screenshot()
      return colors.prefix(3).allSatisfy { areas.area(of: $0).share > 0.015 } ? areas : nil
    }
    let (red, green, blue) = (
      areas.area(of: colors[0]), areas.area(of: colors[1]), areas.area(of: colors[2])
    )
    // A quarter each, so of equal size except for the rows above them.
    #expect((0.8...1.25).contains(red.share / green.share), "\(red) \(green)")
    #expect((0.7...1.3).contains(red.share / blue.share), "\(red) \(blue)")
    #expect(red.column < green.column && abs(red.row - green.row) < 10, "\(red) \(green)")
    #expect(red.row < blue.row && abs(red.column - blue.column) < 10, "\(red) \(blue)")
    // 16:9: the middles of the quarters are half of the picture's sides apart.
    let shape = (green.column - red.column) / (blue.row - red.row)
    #expect(abs(shape - 16.0 / 9) < 0.15, "\(shape)")
  }
}
