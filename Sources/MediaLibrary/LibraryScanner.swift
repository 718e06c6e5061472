import Foundation
import Synchronization

/// Looks through the media folders in the background, on a thread that gives way to everything else.
///
/// Of several programs that share a library one scans at a time; the others see what it finds.
public final class LibraryScanner: Sendable {
  public enum Event: Hashable, Sendable {
    case progress(ScanProgress)
    case failed(MediaLibraryError)
  }

  /// For one consumer; a slow one hears of the newest.
  public let events: AsyncStream<Event>

  private let library: MediaLibrary
  private let identify: @Sendable (String) -> String?
  private let continuation: AsyncStream<Event>.Continuation
  private let state = Mutex(State())

  private struct State {
    var isRunning = false
    /// Something was added while one was running.
    var isWantedAgain = false
    var isStopped = false
    /// Tries again when another program has the library.
    var retry: Task<Void, Never>?
  }

  /// Another program's scan is waited for in steps of this.
  private static let retryInterval = Duration.seconds(10)
  private static let lockName = "scan.lock"

  /// - Parameter identify: computes the identifier of the film in a file; nil for one that can't be read. Blocks.
  public init(library: MediaLibrary, identify: @escaping @Sendable (String) -> String?) {
    self.library = library
    self.identify = identify
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { stop() }

  /// Begins a scan, or another one after the one that is running.
  public func scan() {
    let begins = state.withLock { state in
      guard !state.isStopped else { return false }
      state.isWantedAgain = state.isRunning
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard begins else { return }
    Thread.detachNewThread { [weak self] in
      // Of this thread alone; the kernel ranks its reads of the disk by it, too.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      self?.run()
    }
  }

  /// Ends it within a file's reading, for good.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      state.retry?.cancel()
    }
    continuation.finish()
  }

  private func run() {
    repeat {
      switch Self.lock(in: library.folder) {
      case .taken: return waitForOther()
      case .held(let descriptor):
        defer { if let descriptor { close(descriptor) } }
        do {
          var scan = LibraryScan(
            library: library, identify: identify,
            isCancelled: { [weak self] in self?.state.withLock(\.isStopped) ?? true },
            report: { [weak self] in self?.continuation.yield(.progress($0)) })
          try scan.run()
        } catch {
          continuation.yield(.failed(MediaLibraryError(error)))
        }
      }
    } while continues()
  }

  private func continues() -> Bool {
    state.withLock { state in
      guard state.isWantedAgain, !state.isStopped else {
        state.isRunning = false
        return false
      }
      state.isWantedAgain = false
      return true
    }
  }

  private func waitForOther() {
    state.withLock { state in
      state.isRunning = false
      guard !state.isStopped else { return }
      state.retry?.cancel()
      state.retry = Task { [weak self] in
        try? await Task.sleep(for: Self.retryInterval, clock: .suspending)
        if !Task.isCancelled { self?.scan() }
      }
    }
  }

  private enum Lock {
    /// By this process; nil where no other could scan.
    case held(CInt?)
    case taken
  }

  /// The kernel gives it back however the process ends.
  private static func lock(in folder: URL?) -> Lock {
    guard let folder else { return .held(nil) }
    let path = folder.appendingPathComponent(lockName).path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Where no lock can be made the scan still does no harm.
    guard descriptor >= 0 else { return .held(nil) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return .taken
    }
    return .held(descriptor)
  }
}
