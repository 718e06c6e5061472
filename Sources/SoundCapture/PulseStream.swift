import CPulse
import Calibration
import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One recording stream, on the thread that calls ``record(from:until:started:)``.
///
/// It needs no callbacks for the stream, whose state is read after each turn.
struct PulseStream: ~Copyable {
  private typealias Failure = SoundCaptureError

  /// The time between two readings of the clocks.
  private static let markInterval = Duration.milliseconds(25)

  private let connection: PulseConnection
  private var stream: OpaquePointer?
  private var samples: [Float] = []
  private var marks: [ClockMark] = []
  private var update: OpaquePointer?
  private var lastUpdate: HostTime?

  /// Records until the closure says so, on this thread.
  ///
  /// - Parameter started: called once, when the first sound has arrived.
  static func record(
    from name: String?, until isStopped: () -> Bool, started: (Microphone) -> Void
  ) -> Result<Recording, SoundCaptureError> {
    do throws(SoundCaptureError) {
      var stream = try PulseStream()
      try stream.connection.connect(to: nil)
      let microphone = try stream.microphone(name)
      try stream.open(microphone)
      try stream.wait { $0.samples.count > 0 }
      started(microphone)
      while !isStopped(), stream.samples.count < SoundRecorder.longest { try stream.turn() }
      return .success(
        Recording(samples: stream.samples, rate: SoundRecorder.rate, marks: stream.marks))
    } catch {
      return .failure(error)
    }
  }

  private init() throws(SoundCaptureError) { connection = try PulseConnection() }

  deinit {
    if let update { pa_operation_unref(update) }
    if let stream {
      pa_stream_disconnect(stream)
      pa_stream_unref(stream)
    }
  }

  // MARK: The microphone

  /// Finds a microphone by its name.
  private mutating func microphone(_ name: String?) throws(SoundCaptureError) -> Microphone {
    let answer = SourceAnswer()
    // The operation ends before `answer`: it is waited for here, and cancelled otherwise.
    let operation = pa_context_get_source_info_by_name(
      connection.context, name ?? "@DEFAULT_SOURCE@",
      { _, information, _, data in
        guard let information, let data else { return }
        let source = information.pointee
        Unmanaged<SourceAnswer>.fromOpaque(data).takeUnretainedValue().microphone = Microphone(
          name: String(cString: source.name),
          description: source.description.map { String(cString: $0) } ?? "",
          isMonitor: source.monitor_of_sink != PulseConnection.none)
      }, Unmanaged.passUnretained(answer).toOpaque())
    guard let operation else { throw .unavailable(connection.problem) }
    defer {
      pa_operation_cancel(operation)
      pa_operation_unref(operation)
    }
    try connection.wait { _ in pa_operation_get_state(operation) != PA_OPERATION_RUNNING }
    guard let microphone = answer.microphone else { throw .noMicrophone(name) }
    guard name != nil || !microphone.isMonitor else { throw .onlyMonitor(microphone.description) }
    return microphone
  }

  private mutating func open(_ microphone: Microphone) throws(SoundCaptureError) {
    var format = pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(SoundRecorder.rate), channels: 1)
    let properties = pa_proplist_new()
    defer { pa_proplist_free(properties) }
    // Echo cancellation would remove the sweeps.
    pa_proplist_sets(properties, PA_PROP_FILTER_SUPPRESS, "echo-cancel")
    stream = pa_stream_new_with_proplist(
      connection.context, "calibration", &format, nil, properties)
    guard let stream else { throw .unavailable(connection.problem) }
    let none = PulseConnection.none
    var buffer = pa_buffer_attr(
      maxlength: none, tlength: none, prebuf: none, minreq: none,
      fragsize: UInt32(SoundRecorder.rate / 50 * PulseConnection.sampleSize))
    let flags = PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue
    guard
      pa_stream_connect_record(
        stream, microphone.name, &buffer, pa_stream_flags_t(rawValue: flags)) >= 0
    else { throw .noMicrophone(microphone.name) }
  }

  private mutating func wait(
    for isMet: (borrowing PulseStream) -> Bool
  ) throws(SoundCaptureError) {
    let end = HostTime.now() + PulseConnection.patience
    while !isMet(self) {
      try turn()
      guard HostTime.now() < end else { throw .noSound }
    }
  }

  // MARK: Turns

  /// Handles the messages from the server, or waits a short time for them.
  private mutating func turn() throws(SoundCaptureError) {
    guard try connection.turn(microseconds: 20_000) else {
      throw samples.isEmpty
        ? .unavailable(connection.problem) : .interrupted(connection.problem)
    }
    guard let stream else { return }
    switch pa_stream_get_state(stream) {
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED: throw .interrupted(connection.problem)
    case PA_STREAM_READY: break
    default: return
    }
    try read(stream)
    readClocks(stream)
  }

  private mutating func read(_ stream: OpaquePointer) throws(SoundCaptureError) {
    try connection.read(stream) { received, count in
      if let received {
        samples += received
      } else {
        // A hole: the server had no sound for this time.
        samples += repeatElement(0, count: count)
      }
    }
  }

  /// Reads the server's indices and the delay of the microphone, as they were at one instant. Its own estimate, which is
  /// smoothed, is off by milliseconds for half a minute.
  private mutating func readClocks(_ stream: OpaquePointer) {
    let now = HostTime.now()
    if let update {
      guard pa_operation_get_state(update) != PA_OPERATION_RUNNING else { return }
      pa_operation_unref(update)
      self.update = nil
      if let information = pa_stream_get_timing_info(stream) {
        timingReceived(information.pointee, now)
      }
    }
    if let lastUpdate, now - lastUpdate < Self.markInterval { return }
    lastUpdate = now
    update = pa_stream_update_timing_info(stream, nil, nil)
  }

  private mutating func timingReceived(_ information: pa_timing_info, _ now: HostTime) {
    guard information.write_index_corrupt == 0, information.playing != 0 else { return }
    // The time stamp is the wall clock's.
    var wallClock = timeval()
    gettimeofday(&wallClock, nil)
    let age =
      Duration.seconds(wallClock.tv_sec - information.timestamp.tv_sec)
      + .microseconds(wallClock.tv_usec - information.timestamp.tv_usec)
    guard age >= .zero, age < .seconds(1) else { return }
    let written =
      Double(information.write_index) / Double(PulseConnection.sampleSize)
      / Double(SoundRecorder.rate)
    // The sound that enters the microphone now will be written after its delay. The sound of a monitor is heard later.
    let delay =
      (Double(information.source_usec) - Double(information.sink_usec)) / 1_000_000
    marks.append(ClockMark(seconds: written + delay, time: now - age))
  }
}

/// The server's answer about a source, used on one thread only.
private final class SourceAnswer {
  var microphone: Microphone?
}
