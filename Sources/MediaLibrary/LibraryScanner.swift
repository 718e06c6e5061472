import Concurrency
import Foundation
import Synchronization

/// Scans the media folders in the background, on a thread of the lowest priority.
///
/// If several programs share a library, one scans at a time; the others see its results.
package final class LibraryScanner: Sendable {
  /// An event of a scan.
  package enum Event: Hashable, Sendable {
    /// The scan has advanced, has begun or is over.
    case progress(ScanProgress)
    /// The scan ended because the library can't be read or written.
    case failed(MediaLibraryError)
  }

  /// The scanner's events, for one consumer; a slow one gets only the newest.
  package let events: AsyncStream<Event>

  private let library: MediaLibrary
  private let identify: @Sendable (String) -> String?
  private let continuation: AsyncStream<Event>.Continuation
  private let state = Mutex(State())

  private struct State {
    var isRunning = false
    /// A Boolean value that indicates whether a scan was requested while another one was running.
    var isWantedAgain = false
    var isStopped = false
    /// The next attempt after another program had the library's lock.
    var retry: Task<Void, Never>?
  }

  /// The interval between attempts while another program scans.
  private static let retryInterval = Duration.seconds(10)
  private static let lockName = "scan.lock"

  /// - Parameter identify: computes the identifier of the film in a file; nil for a file that can't be read. Blocks.
  package init(library: MediaLibrary, identify: @escaping @Sendable (String) -> String?) {
    self.library = library
    self.identify = identify
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { stop() }

  /// Begins a scan, or requests another one after the current one.
  package func scan() {
    let begins = state.withLock { state in
      guard !state.isStopped else { return false }
      state.isWantedAgain = state.isRunning
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard begins else { return }
    OwnedThread.start("library scan") { [weak self] in
      // The priority of this thread only; the kernel uses it for the thread's disk reads, too.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      self?.run()
    }
  }

  /// Ends the scanner permanently. A running scan ends within the reading of one file.
  package func stop() {
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
    /// This process holds the lock; nil if no other process could scan.
    case held(CInt?)
    case taken
  }

  /// Takes the lock, which the kernel releases however the process ends.
  private static func lock(in folder: URL?) -> Lock {
    guard let folder else { return .held(nil) }
    let path = folder.appendingPathComponent(lockName).path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Without a lock the scan still does no harm.
    guard descriptor >= 0 else { return .held(nil) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return .taken
    }
    return .held(descriptor)
  }
}
