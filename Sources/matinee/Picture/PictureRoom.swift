import Concurrency
import MPVPlayer
import Screening

/// The location of the picture: the terminal, mpv's window, or nowhere.
@ScreeningActor
final class PictureRoom {
  private let player: MPVPlayer
  private let events: EventBroadcast<ScreeningEvent>

  init(player: MPVPlayer, events: EventBroadcast<ScreeningEvent>) {
    self.player = player
    self.events = events
  }

  /// Moves the picture to its next location.
  func cycle() async throws {
    try await show(
      in: Self.next(
        after: await player.videoMode, offersFrames: player.configuration.offersFrames,
        hasDisplay: Display.isThere))
  }

  /// Returns the location that follows another: the terminal, the window, nowhere, without those that there aren't.
  ///
  /// - Parameter offersFrames: true if the terminal can show the picture.
  nonisolated static func next(
    after mode: MPVConfiguration.VideoMode, offersFrames: Bool, hasDisplay: Bool
  ) -> MPVConfiguration.VideoMode {
    switch mode {
    case .frames: hasDisplay ? .window : .none
    case .window: .none
    case .none: offersFrames ? .frames : hasDisplay ? .window : .none
    }
  }

  private func show(in mode: MPVConfiguration.VideoMode, isClosed: Bool = false) async throws {
    try await player.setVideoMode(mode)
    events.send(.video(.init(mode), isClosed: isClosed))
  }

  /// Handles the closing of the window: the participant stays in the party, and the picture moves to the pane if there
  /// is one.
  func windowClosed() async throws {
    guard await player.videoMode == .window else { return }
    try await show(in: player.configuration.offersFrames ? .frames : .none, isClosed: true)
  }

  func togglePictureInPicture() async throws {
    guard await player.videoMode == .window else { throw WindowProblem.noWindow }
    try await player.setPictureInPicture(!(await player.isPictureInPicture))
  }
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
