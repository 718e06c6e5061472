import Foundation
import Synchronization
import TerminalUI
import TerminalVideo

/// A film in the pane, while the interface is held up.
enum Pictures {
  /// Gives twenty-five pictures a second, as a player does, and holds the screen up for 300 ms meanwhile.
  ///
  /// - Returns: how many of the pictures of those 300 ms were shown, "7 of 7".
  static func shown(on screen: TerminalScreen) async -> String {
    let state = State()
    let surface = screen.picture
    Thread {
      var shade: UInt32 = 0
      while !state.isOver.load(ordering: .relaxed) {
        let isCounted = state.isStalled.load(ordering: .relaxed)
        if isCounted { state.given.wrappingAdd(1, ordering: .relaxed) }
        if showNext(&shade, on: surface) {
          state.all.wrappingAdd(1, ordering: .relaxed)
          if isCounted { state.shown.wrappingAdd(1, ordering: .relaxed) }
        }
        Thread.sleep(forTimeInterval: 0.04)
      }
    }.start()
    // The first takes longer: the palette's tables are made for it.
    while state.all.load(ordering: .relaxed) < 5 { try? await Task.sleep(for: .milliseconds(10)) }
    await screen.stall { state.isStalled.store($0, ordering: .relaxed) }
    state.isOver.store(true, ordering: .relaxed)
    return "\(state.shown.load(ordering: .relaxed)) of \(state.given.load(ordering: .relaxed))"
  }

  /// Shows pictures until the end of the process, as fast as the terminal takes them.
  static func play(on surface: PictureSurface) {
    Thread {
      var shade: UInt32 = 0
      while true {
        if !showNext(&shade, on: surface) { Thread.sleep(forTimeInterval: 0.001) }
      }
    }.start()
  }

  private final class State: Sendable {
    let isStalled = Atomic(false)
    let isOver = Atomic(false)
    let all = Atomic(0)
    let given = Atomic(0)
    let shown = Atomic(0)
  }

  /// Shows a picture of another shade than the last one's, if the terminal takes one.
  private static func showNext(_ shade: inout UInt32, on surface: PictureSurface) -> Bool {
    guard let size = surface.nextPictureSize() else { return false }
    shade = (shade + 7) & 255
    show([UInt32](repeating: shade << 16, count: size.width * size.height), size, on: surface)
    return true
  }

  private static func show(
    _ pixels: [UInt32], _ size: (width: Int, height: Int), on surface: PictureSurface
  ) {
    pixels.withUnsafeBytes { bytes in
      surface.prepare(
        PixelBuffer(
          base: bytes.baseAddress!, width: size.width, height: size.height, stride: 4 * size.width))
    }
    surface.present()
  }
}

extension TerminalScreen {
  /// Blocks the screen's own thread.
  fileprivate func stall(_ tell: (Bool) -> Void) {
    tell(true)
    Thread.sleep(forTimeInterval: 0.3)
    tell(false)
  }
}
