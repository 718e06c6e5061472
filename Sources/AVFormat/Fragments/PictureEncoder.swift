import CAVFormat
import Timekeeping

/// Converts the picture of a film to H.264, with a keyframe at the first picture of each second.
final class PictureEncoder {
  /// The unit of the packets' times.
  let base: AVRational
  /// The description of the packets.
  var parameters: UnsafeMutablePointer<AVCodecParameters> { encoder.parameters }
  private let decoder: FrameDecoder
  private let encoder: FrameEncoder
  private var scaler: OpaquePointer?
  private let width: CInt
  private let height: CInt
  /// The time from which pictures are encoded.
  private let start: Int64
  private var last: Int64?
  private var lastSecond: Int64?

  /// - Parameter start: the time before which pictures are decoded only; nil at the film's beginning.
  init(
    _ stream: UnsafeMutablePointer<AVStream>, from start: MediaTime?, _ quality: ConversionQuality
  ) throws(FragmentError) {
    let base = AVRational(num: 1, den: 90_000)
    self.base = base
    let source = stream.pointee.codecpar.pointee
    guard source.width > 0, source.height > 0, let decoder = FrameDecoder(stream, threads: 2),
      let encoder = FrameEncoder("libx264", base: base)
    else { throw .picture(codec: stream.codecName) }
    (self.decoder, self.encoder) = (decoder, encoder)
    let most = Double(quality.height)
    let scale = min(1, most * 16 / 9 / Double(source.width), most / Double(source.height))
    width = max(2, CInt(Double(source.width) * scale) & ~1)
    height = max(2, CInt(Double(source.height) * scale) & ~1)
    let rate = stream.pointee.avg_frame_rate
    let isKnown = rate.num > 0 && rate.den > 0
    let interval = isKnown ? AVRational(num: rate.den, den: rate.num).rescale(1, to: base) : 0
    self.start = start.map { base.stamp($0) - interval } ?? .min
    let context = encoder.context
    (context.pointee.width, context.pointee.height) = (width, height)
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
    context.pointee.sample_aspect_ratio = source.sample_aspect_ratio
    if isKnown { context.pointee.framerate = rate }
    context.pointee.rc_max_rate = Int64(quality.bitRate)
    context.pointee.rc_buffer_size = CInt(quality.bitRate)
    context.pointee.thread_count = 2
    for (name, value) in [("preset", "veryfast"), ("crf", "23"), ("forced-idr", "1")] {
      av_opt_set(context, name, value, AV_OPT_SEARCH_CHILDREN)
    }
    try encoder.open()
  }

  deinit { sws_freeContext(scaler) }

  /// Converts a packet of the file; nil ends the picture.
  ///
  /// - Parameter body: takes the packets that are complete. Each is valid during the call.
  func encode(
    _ source: Packet?, _ body: (Packet) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    try decoder.decode(source, to: base) { picture, time throws(FragmentError) in
      guard let time, time > last ?? .min, time > start else { return }
      // The size and the format of pictures may change.
      scaler = sws_getCachedContext(
        scaler, picture.pointee.width, picture.pointee.height,
        AVPixelFormat(picture.pointee.format), width, height, AV_PIX_FMT_YUV420P,
        SWS_BILINEAR, nil, nil, nil)
      guard let scaler else { return }
      last = time
      let second = (time - (time < 0 ? Int64(base.den) - 1 : 0)) / Int64(base.den)
      let isKey = second != lastSecond
      lastSecond = second
      try encoder.encode(at: time) { frame in
        (frame.pointee.width, frame.pointee.height) = (width, height)
        frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        frame.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
      } write: { frame in
        matinee_scale(scaler, picture, frame)
      } _: { packet throws(FragmentError) in
        try body(packet)
      }
    }
    if source == nil { try encoder.finish(body) }
  }
}
