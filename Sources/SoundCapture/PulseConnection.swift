import CPulse
import Timekeeping

/// A connection to the sound server, for the thread that makes it.
///
/// It uses libpulse's own loop. Its state, and those of streams and operations, are read after each turn.
struct PulseConnection: ~Copyable {
  /// `PA_INVALID_INDEX`, which Swift can't read. In a buffer's attributes it leaves the choice to the server.
  static let none = UInt32.max
  /// The longest wait for the server, and for the first sound.
  static let patience = Duration.seconds(5)
  static let sampleSize = MemoryLayout<Float>.size

  private let loop: OpaquePointer
  let context: OpaquePointer

  init() throws(SoundCaptureError) {
    guard let loop = pa_mainloop_new() else { throw .unavailable("out of memory") }
    guard let context = pa_context_new(pa_mainloop_get_api(loop), "matinee") else {
      pa_mainloop_free(loop)
      throw .unavailable("out of memory")
    }
    (self.loop, self.context) = (loop, context)
  }

  deinit {
    pa_context_disconnect(context)
    pa_context_unref(context)
    pa_mainloop_free(loop)
  }

  /// The server's words for the last failure.
  var problem: String { String(cString: pa_strerror(pa_context_errno(context))) }

  /// Connects to a server; nil for the user's.
  func connect(to server: String?) throws(SoundCaptureError) {
    // A server that is started by this connection would have no sound of other programs.
    guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
      throw .unavailable(problem)
    }
    try wait { pa_context_get_state($0.context) == PA_CONTEXT_READY }
  }

  /// Waits until the server has answered.
  func wait(
    until isAnswered: (borrowing PulseConnection) -> Bool
  ) throws(SoundCaptureError) {
    let end = HostTime.now() + Self.patience
    while !isAnswered(self) {
      guard try turn(microseconds: 20_000) else { throw .unavailable(problem) }
      guard HostTime.now() < end else { throw .unavailable("it doesn't answer") }
    }
  }

  /// Handles the messages from the server, or waits for them for a limited time.
  ///
  /// - Returns: false once the connection is lost.
  func turn(microseconds: CInt) throws(SoundCaptureError) -> Bool {
    guard pa_mainloop_prepare(loop, microseconds) >= 0, pa_mainloop_poll(loop) >= 0,
      pa_mainloop_dispatch(loop) >= 0
    else { throw .interrupted(problem) }
    return PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0
  }

  /// Passes the samples that have arrived on a stream.
  ///
  /// - Parameter received: is given the samples, or nil for a hole, and their number.
  func read(
    _ stream: OpaquePointer, _ received: (UnsafeBufferPointer<Float>?, Int) -> Void
  ) throws(SoundCaptureError) {
    while true {
      var data: UnsafeRawPointer?
      var size = 0
      guard pa_stream_peek(stream, &data, &size) >= 0 else { throw .interrupted(problem) }
      guard size > 0 else { return }
      let count = size / Self.sampleSize
      received(
        data.map {
          UnsafeBufferPointer(start: $0.assumingMemoryBound(to: Float.self), count: count)
        }, count)
      pa_stream_drop(stream)
    }
  }
}
