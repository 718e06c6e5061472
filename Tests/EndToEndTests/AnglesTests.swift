import Foundation
import ProcessTesting
import Testing

@Suite("Several angles, end to end", .serialized)
struct AnglesEndToEndTests {
  /// A clip of a minute of one colour, with a tone.
  private static func clip(_ color: String) throws -> String {
    let file = Clips.folder.appendingPathComponent("angle-\(color).mkv").path
    guard !FileManager.default.fileExists(atPath: file) else { return file }
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "color=\(color):s=320x180:r=25:d=60", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=60", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt",
      "yuv444p", "-c:a", "pcm_s16le", file,
    ])
    return file
  }

  @Test("Four films are one picture in the window, and keep in step with the group as one")
  func grid() async throws {
    let files = try ["red", "lime", "blue", "white"].map(Self.clip)
    let display = try VirtualDisplay(width: 1000, height: 700)
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", files[0], "--angles"]
        + files.dropFirst(),
      display: display.name)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", files[0]])
    _ = try await ben.next("opened")
    // Red and green above blue and white.
    let shot = try await MatineeProcess.find("there is no grid") {
      let shot = try display.screenshot()
      let isThere = [[255, 0, 0], [0, 0, 255]].allSatisfy { shot.area(of: $0).share >= 0.01 }
      return isThere ? shot : nil
    }
    let (red, green, blue) = (
      shot.area(of: [255, 0, 0]), shot.area(of: [0, 255, 0]), shot.area(of: [0, 0, 255])
    )
    #expect(green.column - red.column > 300 && abs(green.row - red.row) < 30, "\(red) \(green)")
    #expect(blue.row - red.row > 160 && abs(blue.column - red.column) < 30, "\(red) \(blue)")
    #expect((0.9...1.1).contains(red.share / green.share), "\(red) \(green)")

    try ben.send("play")
    // Before the start a seek would only change the position to start from.
    for one in [ana, ben] {
      _ = try await one.state { $0.string("status") == "playing" }
    }
    try ben.send("seek 20")
    _ = try await ana.next("command") { $0.string("command") == "seek" }
    // Measured every fifth of a second, and corrected to well below a frame.
    _ = try await ana.state {
      $0.string("status") == "playing" && abs($0.number("syncErrorMs") ?? .infinity) < 10
    }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }
}
