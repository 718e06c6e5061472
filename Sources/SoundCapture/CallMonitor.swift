import Concurrency

/// A watch over the sound of calls in other programs, through PulseAudio, or PipeWire in its place.
///
/// It is on a thread of its own, and connects again to a server that was lost. It keeps no sound, only its peaks.
package final class CallMonitor: Sendable {
  /// The time between two attempts to connect.
  private static let pause = Duration.seconds(3)

  private let isStopped = ThreadFlag()

  /// Begins to watch. A server that isn't there yet is no error.
  ///
  /// - Parameters:
  ///   - server: the server's address, as in `PULSE_SERVER`; nil for the user's server.
  ///   - report: called on the monitor's thread, which it must not block: with true when a call becomes audible, and
  ///     with false once all have been silent for 0.4 s, the server is lost or the monitor is stopped.
  /// - Throws: ``SoundCaptureError/unavailable(_:)`` if the system has no thread left.
  package init(
    server: String? = nil, _ report: @escaping @Sendable (_ isAudible: Bool) -> Void
  ) throws(SoundCaptureError) {
    let isStopped = isStopped
    do {
      try OwnedThread.make("calls") {
        while !isStopped.isSet {
          do {
            try CallStreams.watch(server, until: { isStopped.isSet }, report)
          } catch {
            // Without a server no call is audible.
            isStopped.wait(atMost: Self.pause)
          }
        }
      }
    } catch {
      throw .unavailable("no thread, errno \(error.code)")
    }
  }

  /// Ends the watch, within a few seconds. A call that is audible then ends with a last report.
  package func stop() { isStopped.set() }

  deinit { isStopped.set() }
}
