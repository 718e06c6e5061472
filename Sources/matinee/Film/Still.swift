import MPVPlayer
import Timekeeping

/// One picture of a film, by a player of its own that stands still: where the film's is shown goes on as it is.
actor Still {
  private let frames: FrameRouter
  private var player: MPVPlayer?
  /// Counts what was asked for: an older one that ends late shows nothing.
  private var request = 0

  init(frames: FrameRouter) { self.frames = frames }

  /// - Parameter place: of which picture.
  /// - Returns: its size; nil if there is none, or something else is wanted by now.
  func show(_ path: String, at place: MediaTime) async -> PlayerSnapshot.VideoSize? {
    request += 1
    let mine = request
    do {
      let player = try player ?? MPVPlayer(configuration: .forStills(video: .frames))
      self.player = player
      try await player.load(path, startingAt: place)
      let snapshot = await player.snapshot()
      guard mine == request, snapshot.hasVideo, let size = snapshot.videoSize else { return nil }
      frames.show(player)
      return size
    } catch {
      // What can't be opened is told by opening it.
      return nil
    }
  }

  /// - Parameter other: whose pictures are shown from now on.
  func hide(showing other: MPVPlayer) async {
    request += 1
    guard let player else { return }
    self.player = nil
    frames.show(other)
    await player.shutDown()
  }
}

extension MPVConfiguration {
  /// Of a player that shows single pictures: nobody hears it, and no script or setting of the user's has anything to do
  /// with it.
  static func forStills(video: VideoMode, options: [Option] = []) -> MPVConfiguration {
    MPVConfiguration(
      video: video, noConfig: true,
      options: [
        .init(name: "aid", value: "no"), .init(name: "sid", value: "no"),
        .init(name: "cache", value: "no"),
      ] + options)
  }
}
