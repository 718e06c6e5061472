/// The locations at which this program can show its picture.
package struct PictureLocations: Hashable, Sendable {
  /// A Boolean value that indicates whether there is a display for a window.
  package var hasDisplay: Bool
  /// A Boolean value that indicates whether there is a pane in the terminal.
  package var hasPane: Bool

  package init(hasDisplay: Bool, hasPane: Bool) {
    self.hasDisplay = hasDisplay
    self.hasPane = hasPane
  }

  /// Returns the location to which the user's command moves the picture.
  package func next(after location: ScreeningEvent.VideoLocation) -> ScreeningEvent.VideoLocation {
    switch location {
    case .terminal: hasDisplay ? .window : .none
    case .window: .none
    case .none: hasPane ? .terminal : hasDisplay ? .window : .none
    }
  }

  /// The location to which the picture moves when the user closes the window.
  package var afterClosedWindow: ScreeningEvent.VideoLocation { hasPane ? .terminal : .none }
}
