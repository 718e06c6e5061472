import CAVFormat
import Synchronization
import Timekeeping

/// The bound of the requests about one stream. All of them together end when the probe is cancelled, or when their time
/// is up, also while they wait for a byte. Only a name server's answer can't be interrupted.
package final class StreamProbe: Sendable {
  /// The default time for all requests together. A server that sends slowly gets no more time.
  package static let patience = Duration.seconds(10)

  /// Returns a new probe that has no limit but its cancellation.
  package static var unlimited: StreamProbe { StreamProbe(patience: .seconds(1 << 32)) }

  private let deadline: HostTime
  private let isCancelled = Atomic(false)

  /// - Parameter patience: the time for all requests together, from now on.
  package init(patience: Duration = patience) { deadline = .now() + patience }

  /// Ends the requests in progress within some tenths of a second. Callable from any thread, any number of times.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  var isOver: Bool { isCancelled.load(ordering: .relaxed) || .now() >= deadline }

  /// A callback that FFmpeg calls whenever it waits. It holds the probe unretained: keep the probe until everything
  /// that was opened with the callback is closed.
  var interrupt: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { probe in
        guard let probe else { return 0 }
        return Unmanaged<StreamProbe>.fromOpaque(probe).takeUnretainedValue().isOver ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
