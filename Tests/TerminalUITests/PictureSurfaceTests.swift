import Foundation
import TerminalVideo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Restoring the terminal with a picture on it")
struct PictureSurfaceTests {
  /// Returns a surface that has shown one picture on a terminal that reads nothing.
  private func shown() throws -> PictureSurface {
    let surface = PictureSurface()
    let terminal = open("/dev/null", O_WRONLY | O_CLOEXEC)
    try #require(terminal >= 0)
    surface.attach(terminal: terminal)
    surface.drawScreen(
      .init(area: Rect(column: 0, row: 0, width: 10, height: 5), covers: []), nil
    ) {}
    show(try #require(surface.nextPictureSize()), on: surface)
    return surface
  }

  /// Shows a picture of one colour.
  private func show(_ size: (width: Int, height: Int), on surface: PictureSurface) {
    let pixels = [UInt32](repeating: 0x12_3456, count: size.width * size.height)
    pixels.withUnsafeBytes { bytes in
      surface.prepare(
        PixelBuffer(
          base: bytes.baseAddress!, width: size.width, height: size.height, stride: 4 * size.width))
    }
    surface.present()
  }

  @Test("waits for the answer to the last picture, which would be typed into the shell")
  func waits() async throws {
    let surface = try shown()
    let (left, continuation) = AsyncStream.makeStream(of: Void.self)
    let begun = HostTime.now()
    let thread = Thread {
      surface.leave(patience: .seconds(30))
      continuation.finish()
    }
    thread.start()
    // A wait can't be observed from outside: leaving ends, whenever the answer comes.
    surface.answered()
    for await _ in left {}
    #expect(HostTime.now() - begun < .seconds(20))
    #expect(surface.nextPictureSize() == nil, "nothing is shown any more")
  }

  @Test("waits for the terminal's last answer about its abilities, for as long as it may come")
  func abilities() async {
    let surface = PictureSurface()
    let terminal = open("/dev/null", O_WRONLY | O_CLOEXEC)
    surface.ask(pixels: true, TerminalModes.lastQuestion, on: terminal)
    let begun = HostTime.now()
    surface.leave(patience: .milliseconds(200))
    #expect(HostTime.now() - begun >= .milliseconds(190))
    surface.ask(pixels: true, TerminalModes.lastQuestion, on: terminal)
    surface.received(.attributes)
    surface.leave(patience: .seconds(30))
    #expect(HostTime.now() - begun < .seconds(20))
  }

  @Test("waits a limited time for a silent terminal, and not at all without a question")
  func patience() throws {
    let surface = try shown()
    let begun = HostTime.now()
    surface.leave(patience: .milliseconds(200))
    #expect(HostTime.now() - begun >= .milliseconds(190))
    let again = HostTime.now()
    surface.leave(patience: .seconds(30))
    #expect(HostTime.now() - again < .seconds(20))
    // A late answer belongs to no wait.
    surface.answered()
    surface.leave(patience: .seconds(30))
    #expect(HostTime.now() - again < .seconds(20))
  }

  @Test(
    "A film that stands still gets the best picture, whatever the link was taken for",
    .timeLimit(.minutes(1)))
  func still() async throws {
    let surface = PictureSurface(PictureChoice(blocks: nil, isRemote: true))
    let terminal = open("/dev/null", O_WRONLY | O_CLOEXEC)
    surface.ask(pixels: true, [], on: terminal)
    surface.confirmPixels(.link)
    let (wishes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    surface.onNeedsPicture { continuation.yield() }
    surface.attach(terminal: terminal)
    surface.drawScreen(
      .init(area: Rect(column: 0, row: 0, width: 100, height: 40), covers: []), nil
    ) {}
    let cells = try #require(surface.nextPictureSize())
    surface.setStill(true)
    var widths: [Int] = []
    for await _ in wishes {
      guard let size = surface.nextPictureSize() else { continue }
      if size.width != widths.last { widths.append(size.width) }
      if widths.count == 2 { break }
      show(size, on: surface)
      surface.answered()
    }
    #expect(widths[0] == cells.width && widths[1] > cells.width, "\(widths)")
  }
}
