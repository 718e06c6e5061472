import CAVFormat
import Synchronization
import Timekeeping

/// The bound of one look at a server: all of its requests together end when it is cancelled, or when their time is up,
/// also in the middle of a byte that never comes. Only asking a name server can't be interrupted.
public final class StreamProbe: Sendable {
  /// A server that drips needn't be watched for longer.
  public static let patience = Duration.seconds(10)

  private let deadline: HostTime
  private let isCancelled = Atomic(false)

  /// - Parameter patience: the time for all requests together, from now on.
  public init(patience: Duration = patience) { deadline = .now() + patience }

  /// Ends what goes on within some tenths of a second. From any thread, any number of times.
  public func cancel() { isCancelled.store(true, ordering: .relaxed) }

  var isOver: Bool { isCancelled.load(ordering: .relaxed) || .now() >= deadline }

  /// A callback that FFmpeg asks whenever it waits. It holds the probe unretained: keep the probe until all that was
  /// opened with the callback is closed.
  var interrupt: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { probe in
        guard let probe else { return 0 }
        return Unmanaged<StreamProbe>.fromOpaque(probe).takeUnretainedValue().isOver ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
