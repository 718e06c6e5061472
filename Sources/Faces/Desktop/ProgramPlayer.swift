import MatineeKit
import NowPlaying
import Screening
import Synchronization
import Timekeeping

/// The program as a player for the desktop.
final class ProgramPlayer: NowPlayingPlayer {
  private let program: Program
  private let center = Mutex<RemoteCommandCenter?>(nil)

  /// Each event only says that the state is to be read again, so one of them suffices for a slow desktop.
  package static let eventLimit = 1

  private let artwork: Artwork
  private let memory = Mutex(DesktopView.Memory())
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let watching: [Task<Void, Never>]

  init(program: Program, artwork: Artwork) {
    self.program = program
    self.artwork = artwork
    let continuation = changes.continuation
    // The list of participants is a long one in a crowd, and a desktop shows none of them.
    let events = program.events.follow(atMost: Self.eventLimit, except: [.participants])
    watching = [
      Task { for await _ in events { continuation.yield() } },
      Task { for await _ in artwork.changes { continuation.yield() } },
    ]
  }

  /// The commands that the program's state enables and disables.
  var commands: RemoteCommandCenter? {
    get { center.withLock { $0 } }
    set { center.withLock { $0 = newValue } }
  }

  func nowPlayingState() async -> NowPlayingState? {
    let status = await program.status()
    let now = HostTime.now()
    var found = Artwork.Found()
    if let film = status.film {
      let player = status.player
      let isOpen = !status.isOpening && player.isLoaded
      found = await artwork.of(
        film, duration: isOpen ? player.duration : nil, hasVideo: player.hasVideo)
    }
    let view = memory.withLock { memory in
      DesktopView(status, artwork: found, memory: &memory, at: now)
    }
    if let commands { view.possible.apply(to: commands) }
    return view.state
  }

  func nowPlayingChanges() -> AsyncStream<Void> { changes.stream }

  package func close() async {
    for task in watching { task.cancel() }
    changes.continuation.finish()
    commands = nil
    await artwork.close()
  }
}
