import CAVFormat
import Timekeeping

/// A packet of libavcodec that frees itself.
final class Packet {
  let pointer: UnsafeMutablePointer<AVPacket>

  init() {
    guard let pointer = av_packet_alloc() else { fatalError("out of memory") }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&pointer)
  }

  var dts: Int64 {
    get { pointer.pointee.dts }
    set { pointer.pointee.dts = newValue }
  }

  var pts: Int64 {
    get { pointer.pointee.pts }
    set { pointer.pointee.pts = newValue }
  }

  var duration: Int64 {
    get { pointer.pointee.duration }
    set { pointer.pointee.duration = newValue }
  }

  var size: Int { Int(pointer.pointee.size) }
  var stream: Int { Int(pointer.pointee.stream_index) }
  var isKey: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
}

/// The unit of a stream's time stamps, as a fraction of a second.
extension AVRational {
  static let nanoseconds = AVRational(num: 1, den: 1_000_000_000)

  /// The limit of time stamps: 30 years. Sums and products of times below it don't overflow.
  static let limit = MediaTime(seconds: 1e9)

  /// Returns a time stamp in another unit, rounded to the nearest.
  func rescale(_ stamp: Int64, to other: AVRational) -> Int64 { av_rescale_q(stamp, self, other) }

  func time(_ stamp: Int64) -> MediaTime {
    MediaTime(nanoseconds: rescale(stamp, to: .nanoseconds))
  }

  /// Returns the last time stamp at or before a time.
  func stamp(_ time: MediaTime) -> Int64 {
    let bounded = min(max(time, MediaTime(seconds: -1e9)), Self.limit)
    return av_rescale_q_rnd(
      bounded.nanoseconds, .nanoseconds, self, AVRounding(rawValue: AV_ROUND_DOWN.rawValue))
  }

  /// Returns whether a time stamp is one with which can be calculated.
  func isUsable(_ stamp: Int64) -> Bool {
    guard stamp != matinee_no_time, abs(stamp / 2) < 1 << 61 else { return false }
    let seconds = Double(stamp) * Double(num) / Double(den)
    return abs(seconds) < Self.limit.seconds && abs(stamp) < 1 << 53
  }

  /// Returns the time of a stamp; nil for one with which can't be calculated.
  func usableTime(_ stamp: Int64) -> MediaTime? { isUsable(stamp) ? time(stamp) : nil }
}
