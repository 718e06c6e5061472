import CAVFormat

/// Decodes the packets of one stream.
final class FrameDecoder {
  private(set) var context: UnsafeMutablePointer<AVCodecContext>
  private var frame = av_frame_alloc()
  private let base: AVRational

  /// - Returns: nil for a codec that can't be decoded.
  init?(_ stream: UnsafeMutablePointer<AVStream>, threads: CInt) {
    guard let codec = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id),
      let context = avcodec_alloc_context3(codec)
    else { return nil }
    (self.context, base) = (context, stream.pointee.time_base)
    context.pointee.pkt_timebase = base
    context.pointee.thread_count = threads
    guard avcodec_parameters_to_context(context, stream.pointee.codecpar) >= 0,
      avcodec_open2(context, codec, nil) >= 0
    else { return nil }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
    av_frame_free(&frame)
  }

  /// Decodes a packet; nil ends the stream. A packet that can't be decoded is a gap.
  ///
  /// - Parameter body: takes each frame, and its time in a unit; nil for an unknown one.
  func decode(
    _ packet: Packet?, to unit: AVRational,
    _ body: (UnsafeMutablePointer<AVFrame>, Int64?) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    _ = avcodec_send_packet(context, packet?.pointer)
    while let frame, avcodec_receive_frame(context, frame) >= 0 {
      defer { av_frame_unref(frame) }
      let stamp = frame.pointee.best_effort_timestamp
      try body(frame, base.isUsable(stamp) ? base.rescale(stamp, to: unit) : nil)
    }
  }
}
