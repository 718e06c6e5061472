import CAVFormat
import Timekeeping

/// Writes packets as fragmented MP4 into memory. A new one begins with an initialization segment.
///
/// Packets are in the order of decoding, track by track; the tracks needn't be interleaved well.
final class FragmentMuxer {
  private struct Track {
    let stream: UnsafeMutablePointer<AVStream>
    /// The unit of the times of packets that are added.
    let base: AVRational
    let isPicture: Bool
    /// The last packet: its duration is known with the next one.
    var held: Packet?
    /// The decoding time of the fragment's first packet; nil for none.
    var first: Int64?
    var start = Int64.max
    /// The time of the last picture or sound, in the order of the film.
    var last = Int64.min
    var end = Int64.min
  }

  /// The fragments that are complete, oldest first.
  private(set) var complete: [Fragment] = []
  private let context: UnsafeMutablePointer<AVFormatContext>
  private var tracks: [Track] = []
  private var bytes = 0
  private var hasInit = false
  /// A Boolean value that indicates whether all packets go into one fragment.
  private let isWhole: Bool

  /// A fragment that has more bytes is cut.
  private static let cut = 7 << 20
  private static let limit = 16 << 20

  /// - Parameters:
  ///   - tracks: the tracks, the picture first, and the units of the times of their packets.
  ///   - isWhole: whether all packets go into one fragment, of any size.
  init(
    _ tracks: [(parameters: UnsafeMutablePointer<AVCodecParameters>, base: AVRational)],
    isWhole: Bool = false
  ) throws(FragmentError) {
    self.isWhole = isWhole
    var context: UnsafeMutablePointer<AVFormatContext>?
    try FragmentError.check(
      avformat_alloc_output_context2(&context, nil, "mp4", nil), "fragments")
    guard let context else { throw .empty }
    self.context = context
    // Sound in FLAC counts as an experiment.
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
    for (parameters, base) in tracks {
      guard let stream = avformat_new_stream(context, nil) else { throw .empty }
      try FragmentError.check(
        avcodec_parameters_copy(stream.pointee.codecpar, parameters), "fragments")
      let isHEVC = parameters.pointee.codec_id == AV_CODEC_ID_HEVC
      // "hvc1": the parameter sets are in the initialization segment.
      stream.pointee.codecpar.pointee.codec_tag = isHEVC ? 0x3163_7668 : 0
      stream.pointee.time_base = base
      let isPicture = parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO
      self.tracks.append(Track(stream: stream, base: base, isPicture: isPicture))
    }
    try FragmentError.check(avio_open_dyn_buf(&context.pointee.pb), "fragments")
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    // An edit list aligns a picture that has B-frames with the sound, which only a delayed `moov` has; `frag_discont`
    // makes the times of fragments absolute.
    av_dict_set(
      &options, "movflags",
      "frag_custom+empty_moov+default_base_moof+delay_moov+frag_discont", 0)
    try FragmentError.check(avformat_write_header(context, &options), "fragments")
  }

  deinit {
    var bytes: UnsafeMutablePointer<UInt8>?
    avio_close_dyn_buf(context.pointee.pb, &bytes)
    av_free(bytes)
    context.pointee.pb = nil
    avformat_free_context(context)
  }

  /// Removes the oldest fragment that is complete.
  func take() -> Fragment? { complete.isEmpty ? nil : complete.removeFirst() }

  /// Adds a packet with both of its times, the decoding times of a track rising. The packet is left empty.
  func add(_ packet: Packet, track index: Int) throws(FragmentError) {
    let next = Packet()
    av_packet_move_ref(next.pointer, packet.pointer)
    guard next.size <= Self.cut else { throw .tooLarge }
    // Sound before the film's zero, with which encoders begin, isn't played. Firefox would lose the pictures of the next
    // fragment by a negative time.
    guard tracks[index].isPicture || next.pts >= 0 else { return }
    if let held = tracks[index].held {
      held.duration = next.dts - held.dts
      try write(held, index)
    }
    tracks[index].held = next
    if isComplete(before: next, index) { try flush() }
  }

  /// Completes the last fragment.
  func finish() throws(FragmentError) {
    for index in tracks.indices {
      guard let held = tracks[index].held else { continue }
      try write(held, index)
      tracks[index].held = nil
    }
    if bytes > 0 { try flush() }
  }

  private func isComplete(before next: Packet, _ index: Int) -> Bool {
    guard bytes > 0, !isWhole else { return false }
    if bytes >= Self.cut { return true }
    guard let first = tracks[index].first else { return false }
    let length = tracks[index].base.time(next.dts - first).seconds
    // The initialization segment needs a packet of each track; a track may have none for long.
    guard hasInit || length >= 10 || tracks.allSatisfy({ $0.first != nil }) else { return false }
    guard index == 0 else { return length >= 3 }
    // Firefox drops pictures where the times of two fragments overlap: a reference of pictures that are yet to come stays
    // with them.
    guard next.pts > tracks[index].last || length >= 3 else { return false }
    return length >= (tracks[index].isPicture && next.isKey ? 0.5 : 1)
  }

  private func write(_ packet: Packet, _ index: Int) throws(FragmentError) {
    bytes += packet.size
    let end = packet.pts + max(packet.duration, 0)
    tracks[index].first = tracks[index].first ?? packet.dts
    tracks[index].start = min(tracks[index].start, packet.pts)
    tracks[index].last = max(tracks[index].last, packet.pts)
    tracks[index].end = max(tracks[index].end, end)
    let stream = tracks[index].stream
    packet.pointer.pointee.stream_index = stream.pointee.index
    packet.pointer.pointee.pos = -1
    // The muxer has chosen a finer unit.
    av_packet_rescale_ts(packet.pointer, tracks[index].base, stream.pointee.time_base)
    try FragmentError.check(av_write_frame(context, packet.pointer), "fragments")
  }

  private func flush() throws(FragmentError) {
    let times = (tracks.first { $0.first != nil }).map {
      ($0.base.time($0.start), $0.base.time($0.end))
    }
    let (start, end) = times ?? (.zero, .zero)
    if !hasInit {
      try FragmentError.check(av_write_frame(context, nil), "initialization segment")
      complete.append(Fragment(bytes: try collect(), start: start, end: end, isInit: true))
      hasInit = true
    }
    try FragmentError.check(av_write_frame(context, nil), "fragment")
    complete.append(Fragment(bytes: try collect(), start: start, end: end, isInit: false))
    bytes = 0
    for index in tracks.indices {
      tracks[index].first = nil
      (tracks[index].start, tracks[index].last, tracks[index].end) = (.max, .min, .min)
    }
  }

  /// Returns the bytes that have been written, and begins again.
  private func collect() throws(FragmentError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = Int(avio_close_dyn_buf(context.pointee.pb, &bytes))
    context.pointee.pb = nil
    defer { av_free(bytes) }
    try FragmentError.check(avio_open_dyn_buf(&context.pointee.pb), "fragments")
    guard isWhole || count <= Self.limit else { throw .tooLarge }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
