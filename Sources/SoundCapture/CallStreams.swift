import CPulse
import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The loudness of all calls on one sound server, on the thread that calls ``watch(_:until:_:)``.
struct CallStreams: ~Copyable {
  /// The peaks per second. With 50 of them the film would become quieter after more than 100 ms.
  private static let rate: UInt32 = 200
  /// The largest number of calls that are measured at the same time.
  private static let limit = 8
  /// The shortest time between two lists of the streams, which some programs change continuously.
  private static let listInterval = Duration.milliseconds(10)

  private let connection: PulseConnection
  private let answer = StreamAnswer()
  private let ownProcess = String(getpid())
  /// The requests for lists that the server hasn't answered.
  private var requests: [OpaquePointer] = []
  private var lastList: HostTime?
  /// The stream of peaks for each sink input of a call.
  private var streams: [UInt32: OpaquePointer] = [:]
  private var activity = CallActivity()

  /// Measures until the closure says so, on this thread.
  ///
  /// - Parameter report: called with true when a call becomes audible and with false when none is any longer, also if
  ///   the server is lost.
  static func watch(
    _ server: String?, until isStopped: () -> Bool, _ report: (Bool) -> Void
  ) throws(SoundCaptureError) {
    var calls = try CallStreams()
    try calls.connection.connect(to: server)
    calls.subscribe()
    var isAudible = false
    defer { if isAudible { report(false) } }
    while !isStopped() {
      try calls.turn(isAudible)
      guard calls.activity.isAudible(at: .now()) != isAudible else { continue }
      isAudible.toggle()
      report(isAudible)
    }
  }

  private init() throws(SoundCaptureError) { connection = try PulseConnection() }

  deinit {
    // Nothing calls `answer` from here on.
    pa_context_set_subscribe_callback(connection.context, nil, nil)
    for request in requests {
      pa_operation_cancel(request)
      pa_operation_unref(request)
    }
    for stream in streams.values { Self.close(stream) }
  }

  // MARK: Lists

  /// Asks for an event at each change of streams. Clients need none: they precede their streams.
  private func subscribe() {
    pa_context_set_subscribe_callback(
      connection.context,
      { _, _, _, data in StreamAnswer.at(data).isOutdated = true }, answer.address)
    let mask =
      PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
    let request = pa_context_subscribe(
      connection.context, pa_subscription_mask_t(rawValue: mask), nil, nil)
    if let request { pa_operation_unref(request) }
  }

  /// Asks for everything. The server answers in this order, so that the clients of all streams are in their list.
  private mutating func list() {
    (answer.streams, answer.isOutdated) = (ProgramStreams(), false)
    let (context, address) = (connection.context, answer.address)
    requests = [
      pa_context_get_sink_input_info_list(
        context,
        { _, input, _, data in
          guard let input = input?.pointee else { return }
          StreamAnswer.at(data).streams.playbacks[input.index] = .init(
            client: input.client, sink: input.sink,
            role: StreamAnswer.property(PA_PROP_MEDIA_ROLE, of: input.proplist),
            // PipeWire's property of the two ends of a filter.
            isFilter: pa_proplist_contains(input.proplist, "node.link-group") > 0)
        }, address),
      pa_context_get_source_output_info_list(
        context,
        { _, output, _, data in
          guard let output = output?.pointee else { return }
          StreamAnswer.at(data).streams.recordings.append(
            .init(client: output.client, source: output.source))
        }, address),
      pa_context_get_sink_info_list(
        context,
        { _, sink, _, data in
          guard let sink = sink?.pointee else { return }
          StreamAnswer.at(data).streams.monitors[sink.index] = sink.monitor_source
        }, address),
      pa_context_get_client_info_list(
        context,
        { _, client, _, data in
          guard let client = client?.pointee else { return }
          let process = StreamAnswer.property(
            PA_PROP_APPLICATION_PROCESS_ID, of: client.proplist)
          StreamAnswer.at(data).streams.clients[client.index] = .init(
            program: .init(
              process: process ?? "connection \(client.index)",
              binary: StreamAnswer.property(
                PA_PROP_APPLICATION_PROCESS_BINARY, of: client.proplist)),
            role: StreamAnswer.property(PA_PROP_MEDIA_ROLE, of: client.proplist))
        }, address),
    ].compactMap { $0 }
  }

  private mutating func listReceived() {
    for request in requests { pa_operation_unref(request) }
    requests = []
    let calls = answer.streams.calls(except: ownProcess)
    activity.streamsListed { calls[$0] != nil }
    for (input, stream) in streams where calls[input] == nil {
      Self.close(stream)
      streams[input] = nil
    }
    for (input, monitor) in calls where streams[input] == nil && streams.count < Self.limit {
      streams[input] = open(input, monitor)
    }
  }

  // MARK: Peaks

  private func open(_ input: UInt32, _ monitor: UInt32) -> OpaquePointer? {
    var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: Self.rate, channels: 1)
    guard let stream = pa_stream_new(connection.context, "call level", &format, nil) else {
      return nil
    }
    let none = PulseConnection.none
    var buffer = pa_buffer_attr(
      maxlength: none, tlength: none, prebuf: none, minreq: none,
      fragsize: UInt32(PulseConnection.sampleSize))
    // A sink that is suspended while it has no sound remains so.
    let flags =
      PA_STREAM_PEAK_DETECT.rawValue | PA_STREAM_DONT_MOVE.rawValue
      | PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_INHIBIT_AUTO_SUSPEND.rawValue
    guard pa_stream_set_monitor_stream(stream, input) >= 0,
      pa_stream_connect_record(
        stream, String(monitor), &buffer, pa_stream_flags_t(rawValue: flags)) >= 0
    else {
      pa_stream_unref(stream)
      return nil
    }
    return stream
  }

  private static func close(_ stream: OpaquePointer) {
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  private mutating func read(_ stream: OpaquePointer, of input: UInt32) throws(SoundCaptureError) {
    let state = pa_stream_get_state(stream)
    // The server ends the stream of a call that moves to another sink. The next list opens it again.
    guard PA_STREAM_IS_GOOD(state) != 0 else {
      Self.close(stream)
      streams[input] = nil
      return
    }
    guard state == PA_STREAM_READY else { return }
    try connection.read(stream) { peaks, _ in
      guard let peak = peaks?.max() else { return }
      activity.peakReceived(peak, from: input, at: .now())
    }
  }

  // MARK: Turns

  private mutating func turn(_ isAudible: Bool) throws(SoundCaptureError) {
    // The long wait is for the end only; without sound all else comes as a message.
    let isBrief = isAudible || (answer.isOutdated && requests.isEmpty)
    guard try connection.turn(microseconds: isBrief ? 10_000 : 250_000) else {
      throw .interrupted(connection.problem)
    }
    if requests.allSatisfy({ pa_operation_get_state($0) != PA_OPERATION_RUNNING }) {
      if !requests.isEmpty { listReceived() }
      if answer.isOutdated, lastList.map({ .now() - $0 >= Self.listInterval }) ?? true {
        lastList = .now()
        list()
      }
    }
    for (input, stream) in streams { try read(stream, of: input) }
  }
}

/// The server's answers about streams, used on one thread only.
private final class StreamAnswer {
  var streams = ProgramStreams()
  /// A Boolean value that indicates whether the streams have changed since they were asked for.
  var isOutdated = true

  /// The argument of the callbacks, which end before this object does.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func at(_ address: UnsafeMutableRawPointer?) -> StreamAnswer {
    Unmanaged.fromOpaque(address!).takeUnretainedValue()
  }

  static func property(_ name: String, of properties: OpaquePointer?) -> String? {
    pa_proplist_gets(properties, name).map { String(cString: $0) }
  }
}
