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
    try await show(at: locations.next(after: ScreeningEvent.VideoLocation(await player.videoMode)))
  }

  /// Handles the closing of the window: the participant stays in the party, and the picture moves to the pane if there
  /// is one.
  func windowClosed() async throws {
    guard await player.videoMode == .window else { return }
    try await show(at: locations.afterClosedWindow, isClosed: true)
  }

  private var locations: PictureLocations {
    PictureLocations(hasDisplay: Display.isThere, hasPane: player.configuration.offersFrames)
  }

  private func show(
    at location: ScreeningEvent.VideoLocation, isClosed: Bool = false
  ) async throws {
    try await player.setVideoMode(MPVConfiguration.VideoMode(location))
    events.send(.video(location, isClosed: isClosed))
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

extension MPVConfiguration.VideoMode {
  fileprivate init(_ location: ScreeningEvent.VideoLocation) {
    self =
      switch location {
      case .window: .window
      case .terminal: .frames
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
