import NowPlaying
import Synchronization
import Timekeeping

/// The theater as a player that the desktop is shown.
final class TheaterPlayer: NowPlayingPlayer {
  private let theater: Theater
  private let center = Mutex<RemoteCommandCenter?>(nil)

  init(theater: Theater) { self.theater = theater }

  /// Whose commands are possible or not, by what the theater does.
  var commands: RemoteCommandCenter? {
    get { center.withLock { $0 } }
    set { center.withLock { $0 = newValue } }
  }

  func nowPlayingState() async -> NowPlayingState? {
    let view = DesktopView(await theater.status(), at: .now())
    if let commands { view.possible.apply(to: commands) }
    return view.state
  }

  func nowPlayingChanges() -> AsyncStream<Void> { theater.changes }

  func close() { commands = nil }
}
