import MPVPlayer
import MatineeKit
import Timekeeping

/// A single picture of a film from a separate, paused player: playback of the current film continues.
actor Still {
  private let frames: FrameRouter
  private var player: MPVPlayer?
  /// The number of the last request. A request that ends after a newer one shows nothing.
  private var request = 0

  init(frames: FrameRouter) { self.frames = frames }

  /// - Parameter place: the position of the picture.
  /// - Returns: its size; nil if there is no picture, or if there was a newer request.
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
      // Opening the film reports the error.
      return nil
    }
  }

  /// - Parameter other: the player whose pictures are shown afterwards.
  func hide(showing other: MPVPlayer) async {
    request += 1
    guard let player else { return }
    self.player = nil
    frames.show(other)
    await player.shutDown()
  }
}

extension MPVConfiguration {
  /// Returns the configuration of a player for single pictures: without sound, and without the user's scripts and
  /// settings.
  static func forStills(video: VideoMode, options: [Option] = []) -> MPVConfiguration {
    MPVConfiguration(
      video: video, noConfig: true,
      options: [
        .init(name: "aid", value: "no"), .init(name: "sid", value: "no"),
        .init(name: "cache", value: "no"),
      ] + options)
  }
}
