import Testing

@testable import Screening

@Suite("The location of the picture")
struct PictureLocationsTests {
  private typealias Location = ScreeningEvent.VideoLocation

  /// The locations that the user's command passes through, beginning at `location`.
  private static func round(
    from location: Location, hasDisplay: Bool, hasPane: Bool
  ) -> [Location] {
    let locations = PictureLocations(hasDisplay: hasDisplay, hasPane: hasPane)
    var round = [location]
    for _ in 0..<3 { round.append(locations.next(after: round[round.count - 1])) }
    return round
  }

  @Test("The picture goes from the pane into the window, off, and back into the pane")
  func all() {
    #expect(
      Self.round(from: .terminal, hasDisplay: true, hasPane: true)
        == [.terminal, .window, .none, .terminal])
  }

  @Test("Without a display the picture is in the pane or off")
  func withoutDisplay() {
    #expect(
      Self.round(from: .terminal, hasDisplay: false, hasPane: true)
        == [.terminal, .none, .terminal, .none])
  }

  @Test("Without a pane the picture is in the window or off")
  func withoutPane() {
    #expect(
      Self.round(from: .none, hasDisplay: true, hasPane: false)
        == [.none, .window, .none, .window])
  }

  @Test("Without a display and a pane the picture stays off")
  func nowhere() {
    #expect(
      Self.round(from: .none, hasDisplay: false, hasPane: false) == [.none, .none, .none, .none])
  }

  @Test("The picture of a closed window moves to the pane, if there is one")
  func closedWindow() {
    #expect(
      PictureLocations(hasDisplay: true, hasPane: true).afterClosedWindow == .terminal)
    #expect(PictureLocations(hasDisplay: true, hasPane: false).afterClosedWindow == .none)
  }
}
