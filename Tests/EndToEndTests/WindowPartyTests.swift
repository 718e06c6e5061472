import Foundation
import ProcessTesting
import Testing

/// mpv's window with the party in it, on a display with a window manager.
@Suite("The party in mpv's window", .serialized)
struct WindowPartyTests {
  /// Ana hosts in a terminal, with her picture in a window; Ben is a script.
  private struct Table {
    let display: VirtualDisplay
    let ana: Screen
    let ben: MatineeProcess

    /// Returns the only window, once it fulfils the condition.
    func window(
      _ isWanted: (VirtualDisplay.Window) -> Bool = { _ in true }
    ) async throws -> VirtualDisplay.Window {
      try await MatineeProcess.find("\(display.windows())") {
        display.windows().first(where: isWanted)
      }
    }

    func noWindow() async throws {
      try await MatineeProcess.wait("the window stays") { display.windows().isEmpty }
    }
  }

  private func gather(
    options: [String] = [], environment: [String] = [], film: String? = nil,
    _ body: (Table) async throws -> Void
  ) async throws {
    let film = try film ?? Clips.film.get()
    let other = try Clips.otherFilm.get()
    let display = try VirtualDisplay(width: 1280, height: 720)
    try await display.startWindowManager()
    try await Screen.run { screen, folder in
      let invite = folder.appendingPathComponent("invite").path
      try screen.open(
        [
          "host", "--listen", "127.0.0.1:0", "--name", "Ana", "--no-announce", "--no-port-mapping",
          // A film of 160 by 90; mpv repeats keys, too.
          "--invite-file", invite, "--mpv", "window-scale=7", "--mpv", "input-ar-delay=60000",
        ] + options + [film, other], in: folder,
        environment: ["DISPLAY=\(display.name)"] + environment)
      _ = try await screen.row(containing: "Party open.")
      let ben = try MatineeProcess([
        "join", "--invite-file", invite, "--name", "Ben", film, other,
      ])
      _ = try await ben.next("opened")
      try await body(Table(display: display, ana: screen, ben: ben))
      #expect(try await ben.quit() == 0)
    }
    withExtendedLifetime(display) {}
  }

  /// Opens the line for chat and waits for its cursor, as a person would: mpv looks keys up as they
  /// are pressed, so letters before that are its own keys. The film must have no gold.
  private func beginChat(on display: VirtualDisplay) async throws {
    func hasCursor() throws -> Bool { try display.screenshot().area(of: [255, 215, 0]).share > 0 }
    try await MatineeProcess.wait("the last line stays open") { try !hasCursor() }
    try display.press("Return", inWindow: "film")
    try await MatineeProcess.wait("no cursor in the window") { try hasCursor() }
  }

  @Test(
    "The user chats in the window, however fast, and sees the others' messages; its keys control the group, and those for loops are refused"
  )
  func chat() async throws {
    let dark = try Clips.newFolder("dark").appendingPathComponent("film.mkv").path
    try Clips.ffmpeg(["-f", "lavfi", "-i", "color=black:s=160x90:r=25:d=120", dark])
    try await gather(film: dark) { table in
      let (display, ben) = (table.display, table.ben)
      _ = try await table.window()
      // Ben's colour, as in the roster.
      let ink = [0, 175, 255]
      let before = try display.screenshot().area(of: ink).share
      try ben.send("chat a line that is long enough to be seen from afar")
      try await MatineeProcess.wait("nothing is said in the window") {
        try display.screenshot().area(of: ink).share > before + 0.00003
      }
      try await beginChat(on: display)
      // Letters that are keys of mpv's, and characters of its markup.
      try display.type("quit {now}? q")
      try display.press("Return", inWindow: "film")
      _ = try await ben.next("chat") {
        $0.string("from") == "Ana" && $0.string("text") == "quit {now}? q"
      }
      try display.press("space", inWindow: "film")
      _ = try await ben.next("command") { $0.string("command") == "play" }
      try display.press("Right", inWindow: "film")
      _ = try await ben.next("command") { $0.string("command") == "seek" }
      try ben.send("pause")
      _ = try await table.ana.row(containing: "‖ 0:")
      // Faster than the player reads keys.
      try await beginChat(on: display)
      let line = String(repeating: "quickly said ", count: 30) + "end"
      try display.type(line, delay: 1)
      try display.press("Return", inWindow: "film")
      _ = try await ben.next("chat") { $0.string("text") == line }
      // They would move one player only.
      for (key, subject) in [("l", "ab-loop"), ("L", "loop-file")] {
        try display.press(key, inWindow: "film")
        _ = try await table.ana.row(containing: "“\(subject)” would move only you")
      }
      // After escape, keys are no longer text.
      try await beginChat(on: display)
      try display.type("x")
      try display.press("Escape", inWindow: "film")
      try display.press("space", inWindow: "film")
      _ = try await ben.next("command") { $0.string("command") == "play" }
    }
  }

  @Test(
    "P makes the window small, in a corner, above all others and without a border, and restores it; it is small while the user looks for a film"
  )
  func pictureInPicture() async throws {
    try await gather { table in
      let display = table.display
      let before = try await table.window()
      try display.press("P", inWindow: "film")
      // mpv may replace its window meanwhile: a closed one has no properties, and isn't the wanted
      // one.
      func has(_ property: String, _ value: String, _ window: VirtualDisplay.Window) -> Bool? {
        (try? display.property(property, of: window))?.contains(value)
      }
      _ = try await table.window {
        $0.width == 320 && $0.height == 180 && 1280 - $0.column - $0.width < 40
          && 720 - $0.row - $0.height < 40 && has("_NET_WM_STATE", "ABOVE", $0) == true
          && has("_NET_FRAME_EXTENTS", "0, 0, 0, 0", $0) == true
      }
      try display.press("P", inWindow: "film")
      _ = try await table.window {
        ($0.width, $0.height) == (before.width, before.height)
          && has("_NET_WM_STATE", "ABOVE", $0) == false
          && has("_NET_FRAME_EXTENTS", "0, 0, 0, 0", $0) == false
      }
      // A film that another participant begins.
      try table.ana.type("o")
      _ = try await table.ana.row(containing: "Library: matinee-clips")
      _ = try await table.ana.row(containing: "› ▶ film")
      // The details come after the program knows that she looks for a film.
      try table.ana.type("d")
      _ = try await table.ana.row(containing: "Source ")
      try table.ana.type("d")
      try table.ben.send("next")
      _ = try await table.ben.next("opened")
      _ = try await table.window { $0.title.hasPrefix("other") && $0.width == 320 }
    }
  }

  @Test("A user who closes the window stays in the party, and the picture continues in the pane")
  func closing() async throws {
    try await gather { table in
      let window = try await table.window()
      try table.display.press("space", inWindow: "film")
      _ = try await table.ben.next("command") { $0.string("command") == "play" }
      try table.display.press("space", inWindow: "film")
      _ = try await table.ben.next("command") { $0.string("command") == "pause" }
      try table.display.requestClosing(window)
      _ = try await table.ana.row(containing: "Window closed – film moved to the terminal")
      try await table.noWindow()
      // Paused, so that the picture has to be requested.
      let row = try await table.ana.row(containing: "▀")
      // Beside the party, and not over the whole screen.
      #expect(row.contains { $0 != "▀" }, "\(row)")
      try table.ben.send("chat still there?")
      _ = try await table.ana.row(containing: "still there?")
      // `v`: from the pane back into a window.
      try table.ana.type("V")
      _ = try await table.window()
    }
  }

  @Test(
    "The picture moves from the pane into a window without a graphics card, and the keyboard still works"
  )
  func withoutGraphics() async throws {
    try await gather(
      options: ["--video", "terminal"],
      environment: ["__EGL_VENDOR_LIBRARY_DIRS=/nowhere", "VK_ICD_FILENAMES=/nowhere"]
    ) { table in
      _ = try await table.ana.row(containing: "▀")
      try table.ana.type("V")
      _ = try await table.window()
      try table.ana.type(" ")
      _ = try await table.ben.next("command") { $0.string("command") == "play" }
      try table.ana.type("V")
      _ = try await table.ana.row(containing: "Picture off")
      #expect(try !table.ana.command(["capture-pane", "-p"]).contains("DRM"))
    }
  }
}
