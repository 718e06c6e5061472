import MPVPlayer
import Screening
import TerminalUI

/// The location of the picture, and its move when the window is closed.
extension Theater {
  func show(in mode: MPVConfiguration.VideoMode, isClosed: Bool = false) async throws {
    try await player.setVideoMode(mode)
    await drawingChanged()
    emit(.video(.init(mode), isClosed: isClosed))
  }

  /// Handles the closing of the window: the participant stays in the party, and the picture moves to the pane if there
  /// is one.
  func windowClosed() async throws {
    guard await player.videoMode == .window else { return }
    try await show(in: player.configuration.offersFrames ? .frames : .none, isClosed: true)
  }

  /// Returns the colours that distinguish participants in the window, the same as in the roster.
  func personInks() async -> PersonInks {
    PersonInks(await party?.participants.map { TerminalText($0.name) } ?? [])
  }

  func togglePictureInPicture() async throws {
    guard await player.videoMode == .window else { throw WindowProblem.noWindow }
    try await player.setPictureInPicture(!(await player.isPictureInPicture))
  }
}

/// An input in mpv's window.
enum WindowEvent: Sendable {
  case key(WindowKey)
  /// The position of the mouse, from 0 to 1 in the picture.
  case pointer(x: Double, y: Double)
}

extension ScreeningEvent.VideoLocation {
  init(_ mode: MPVConfiguration.VideoMode) {
    self =
      switch mode {
      case .window: .window
      case .frames: .terminal
      case .none: .none
      }
  }
}

enum WindowProblem: Error, Hashable, CustomStringConvertible {
  case noWindow

  var description: String {
    "Picture-in-picture needs mpv's window. Press v to move the video there (needs a display)."
  }
}
