import MPVPlayer
import Testing

@testable import matinee

@Suite("The location of the picture")
struct PictureRoomTests {
  private func cycle(
    from first: MPVConfiguration.VideoMode, offersFrames: Bool, hasDisplay: Bool
  ) -> [MPVConfiguration.VideoMode] {
    var (modes, mode) = ([MPVConfiguration.VideoMode](), first)
    for _ in 0..<3 {
      mode = PictureRoom.next(after: mode, offersFrames: offersFrames, hasDisplay: hasDisplay)
      modes.append(mode)
    }
    return modes
  }

  @Test("The picture moves only to places that there are, and comes back to the first")
  func places() {
    #expect(
      cycle(from: .frames, offersFrames: true, hasDisplay: true) == [.window, .none, .frames])
    #expect(
      cycle(from: .frames, offersFrames: true, hasDisplay: false) == [.none, .frames, .none])
    #expect(
      cycle(from: .window, offersFrames: false, hasDisplay: true) == [.none, .window, .none])
    #expect(cycle(from: .none, offersFrames: false, hasDisplay: false) == [.none, .none, .none])
  }
}
