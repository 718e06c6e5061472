import CGStreamer
import Dispatch
import PlaybackCoordination
import Timekeeping

/// GStreamer's playbin as a player that starts, pauses and seeks at exact instants. Its state belongs to a queue, since
/// GStreamer's calls may block.
final class GStreamerPlayer: @unchecked Sendable {
  /// The time that a seek and the start after it take at most.
  let latency = Duration.milliseconds(300)

  var item: String?
  /// The position at which the pipeline is paused, and the rate at which it is ready to play from there.
  private(set) var paused: (itemTime: MediaTime, rate: Double)? = (.zero, 1)
  private var rate = 1.0
  private let pipeline: OpaquePointer
  private let queue = DispatchQueue(label: "gstreamer")

  init?(file: String, properties: ArraySlice<String>) {
    gst_init(nil, nil)
    guard let uri = gst_filename_to_uri(file, nil) else { return nil }
    let playbin = ["playbin", "uri=" + String(cString: uri)] + properties
    guard let pipeline = gst_parse_launch(playbin.joined(separator: " "), nil) else { return nil }
    self.pipeline = pipeline
    cgst_use_monotonic_clock(pipeline)
    guard cgst_pause(pipeline) else { return nil }
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable (GStreamerPlayer) -> Value) async -> Value {
    await withCheckedContinuation { done in queue.async { done.resume(returning: body(self)) } }
  }

  var position: MediaTime { MediaTime(nanoseconds: cgst_position(pipeline)) }
  var place: (itemTime: MediaTime, hostTime: HostTime) { (position, .now()) }

  func play(_ command: PlayCommand) {
    let error = position - command.itemTime(atHostTime: .now())
    if paused == nil, rate == command.rate, error.magnitude < .milliseconds(5) { return }
    var start = command.hostTime
    if start < .now() || paused.map({ $0 == (command.itemTime, command.rate) }) != true {
      // The seek takes a while: a late player joins where the film will be then.
      start = max(start, .now() + latency)
      seek(to: command.itemTime(atHostTime: start), rate: command.rate)
    }
    cgst_play(pipeline, start.nanoseconds)
    (rate, paused) = (command.rate, nil)
  }

  func pause() {
    _ = cgst_pause(pipeline)
    // Running time continues from here, so that the next start needs a seek.
    if paused == nil { paused = (position, 0) }
  }

  func seek(to itemTime: MediaTime, rate: Double) {
    pause()
    _ = cgst_seek(pipeline, rate, itemTime.nanoseconds)
    paused = (itemTime, rate)
  }
}
