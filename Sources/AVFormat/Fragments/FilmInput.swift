import CAVFormat
import Timekeeping

/// A film file that libavformat has open for reading. One thread uses it.
final class FilmInput {
  /// The file's structure.
  let context: UnsafeMutablePointer<AVFormatContext>
  private let probe: StreamProbe
  private let packet = Packet()
  /// A Boolean value that indicates whether the file's first packet is read, and waits in ``packet``.
  private var holdsFirst: Bool
  /// The time from which mpv counts positions: in Matroska that of the first block in the file, elsewhere the earliest one.
  let start: MediaTime

  /// The number of broken packets in a row after which a file isn't read on.
  private static let brokenLimit = 1000

  /// - Parameters:
  ///   - path: the path of a file. No other file is opened.
  ///   - formats: the names of libavformat's formats that may be read.
  ///   - probe: ends a read that waits.
  init(_ path: String, formats: String, _ probe: StreamProbe) throws(FragmentError) {
    guard matinee_libraries_match_headers() else {
      throw .otherVersion(libavformat: avformat_version() >> 16)
    }
    var opened = avformat_alloc_context()
    opened?.pointee.interrupt_callback = probe.interrupt
    try FragmentError.check(
      MediaInformation.open(path, formats: formats, &opened), "open")
    guard let opened else { throw .empty }
    (context, self.probe) = (opened, probe)
    holdsFirst = false
    guard !probe.isOver else {
      start = .zero
      throw .interrupted
    }
    let status = avformat_find_stream_info(context, nil)
    let earliest = AVRational(num: 1, den: 1_000_000).usableTime(context.pointee.start_time)
    guard status >= 0, String(cString: context.pointee.iformat.pointee.name).contains("matroska"),
      av_read_frame(context, packet.pointer) >= 0
    else {
      start = earliest ?? .zero
      try FragmentError.check(status, "headers")
      return
    }
    holdsFirst = true
    start = Self.blockTime(of: packet, in: context) ?? earliest ?? .zero
  }

  /// Returns the time of a packet's block: libavformat takes from it what the decoder drops.
  private static func blockTime(
    of packet: Packet, in context: UnsafeMutablePointer<AVFormatContext>
  ) -> MediaTime? {
    guard let stream = context.pointee.streams[packet.stream],
      let parameters = stream.pointee.codecpar
    else { return nil }
    let (padding, rate) = (parameters.pointee.initial_padding, parameters.pointee.sample_rate)
    let dropped = rate > 0 ? Double(max(0, padding)) / Double(rate) : 0
    return stream.pointee.time_base.usableTime(packet.pts).map { $0 + .seconds(dropped) }
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// The streams in the file's order.
  var streams: [UnsafeMutablePointer<AVStream>] {
    (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
  }

  /// Reads only some of the streams.
  func select(_ indices: [Int]) {
    for stream in streams {
      let isSelected = indices.contains(Int(stream.pointee.index))
      stream.pointee.discard = isSelected ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// Reads the next packet of the selected streams.
  ///
  /// - Returns: a packet that is valid until the next call; nil at the end of the file.
  func next() throws(FragmentError) -> Packet? {
    var broken = 0
    while true {
      guard !probe.isOver else { throw .interrupted }
      if !holdsFirst { av_packet_unref(packet.pointer) }
      let status = holdsFirst ? 0 : av_read_frame(context, packet.pointer)
      holdsFirst = false
      if status >= 0 {
        let stream = context.pointee.streams[packet.stream]!
        if stream.pointee.discard == AVDISCARD_DEFAULT, packet.size > 0, clean(stream) {
          return packet
        }
        continue
      }
      guard status != matinee_end_of_file else { return nil }
      broken += 1
      // A file that was cut ends with an error.
      if context.pointee.pb.pointee.eof_reached != 0 { return nil }
      if broken >= Self.brokenLimit || status != matinee_invalid_data && status != matinee_try_again
      {
        try FragmentError.check(status, "read")
      }
    }
  }

  /// Removes time stamps that are no times.
  ///
  /// - Returns: false for a packet of a stream without a unit of time.
  private func clean(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let base = stream.pointee.time_base
    guard base.num > 0, base.den > 0 else { return false }
    if !base.isUsable(packet.dts) { packet.dts = matinee_no_time }
    if !base.isUsable(packet.pts) { packet.pts = matinee_no_time }
    if packet.duration < 0 || !base.isUsable(packet.duration) { packet.duration = 0 }
    return true
  }

  /// Seeks so that the next keyframe of a stream is the last one at or before a time, or the file's first one.
  func seek(_ index: Int, to time: MediaTime) throws(FragmentError) {
    let stream = context.pointee.streams[index]!
    let base = stream.pointee.time_base
    let target = base.stamp(time)
    // Formats with an index find the keyframe at once.
    if rewind(index, to: target), try keyframe(index, before: target, isFirst: true) != nil,
      rewind(index, to: target)
    {
      return
    }
    for distance in [2.0, 10, 40, 160] {
      guard rewind(index, to: target - base.stamp(MediaTime(seconds: distance))),
        let key = try keyframe(index, before: target, isFirst: false)
      else { continue }
      // Some formats are searched by decoding times, some by times of presentation.
      for stamp in [key.pts, key.dts] where rewind(index, to: stamp) {
        let found = try keyframe(index, before: target, isFirst: true)
        if found?.pts == key.pts, rewind(index, to: stamp) { return }
      }
    }
    // The first packet may be decoded before the time that the stream states.
    let start = base.isUsable(stream.pointee.start_time) ? stream.pointee.start_time : 0
    let first = start - base.stamp(MediaTime(seconds: 10))
    if rewind(index, to: first) || rewind(index, to: start) { return }
    try FragmentError.check(av_seek_frame(context, -1, 0, AVSEEK_FLAG_BYTE), "seek")
  }

  private func rewind(_ index: Int, to stamp: Int64) -> Bool {
    holdsFirst = false
    return av_seek_frame(context, CInt(index), stamp, AVSEEK_FLAG_BACKWARD) >= 0
  }

  /// Reads on to a keyframe at or before a time stamp.
  ///
  /// - Parameter isFirst: whether to stop at the first one; else at the last one.
  /// - Returns: its times; nil if there is none from here on.
  private func keyframe(
    _ index: Int, before target: Int64, isFirst: Bool
  ) throws(FragmentError) -> (pts: Int64, dts: Int64)? {
    var last: (pts: Int64, dts: Int64)?
    while let packet = try next() {
      guard packet.stream == index else { continue }
      let pts = packet.pts == matinee_no_time ? packet.dts : packet.pts
      let dts = packet.dts == matinee_no_time ? pts : packet.dts
      guard pts != matinee_no_time else { continue }
      if packet.isKey, pts <= target {
        last = (pts, dts)
        if isFirst { return last }
      } else if dts > target || packet.isKey {
        return last
      }
    }
    return last
  }
}
