import CAVFormat

/// Encodes the frames of one track.
final class FrameEncoder {
  let context: UnsafeMutablePointer<AVCodecContext>
  /// The description of the packets; complete when the encoder is open.
  let parameters: UnsafeMutablePointer<AVCodecParameters>
  private var frame = av_frame_alloc()
  private let packet = Packet()

  /// - Returns: nil if libavcodec has no encoder of this name.
  init?(_ name: String, base: AVRational) {
    guard let codec = avcodec_find_encoder_by_name(name),
      let context = avcodec_alloc_context3(codec), let parameters = avcodec_parameters_alloc()
    else { return nil }
    (self.context, self.parameters) = (context, parameters)
    context.pointee.time_base = base
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    var parameters: UnsafeMutablePointer<AVCodecParameters>? = parameters
    avcodec_free_context(&context)
    avcodec_parameters_free(&parameters)
    av_frame_free(&frame)
  }

  /// Begins, with the options that the context has by now.
  func open() throws(FragmentError) {
    try FragmentError.check(avcodec_open2(context, nil, nil), "encoder")
    try FragmentError.check(avcodec_parameters_from_context(parameters, context), "encoder")
  }

  /// Encodes a frame.
  ///
  /// - Parameters:
  ///   - time: its time in the encoder's unit, later than the last frame's.
  ///   - fill: describes the frame, before it has memory.
  ///   - write: writes its content.
  ///   - body: takes the packets that are complete. Each is valid during the call.
  func encode(
    at time: Int64, fill: (UnsafeMutablePointer<AVFrame>) -> Void,
    write: (UnsafeMutablePointer<AVFrame>) -> Void,
    _ body: (Packet) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    guard let frame else { return }
    defer { av_frame_unref(frame) }
    fill(frame)
    frame.pointee.pts = time
    try FragmentError.check(av_frame_get_buffer(frame, 0), "encoder")
    write(frame)
    try FragmentError.check(avcodec_send_frame(context, frame), "encoder")
    try receive(body)
  }

  /// Ends the track.
  func finish(_ body: (Packet) throws(FragmentError) -> Void) throws(FragmentError) {
    avcodec_send_frame(context, nil)
    try receive(body)
  }

  private func receive(_ body: (Packet) throws(FragmentError) -> Void) throws(FragmentError) {
    while avcodec_receive_packet(context, packet.pointer) >= 0 { try body(packet) }
  }
}
