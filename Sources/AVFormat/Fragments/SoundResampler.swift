import CAVFormat

/// Converts decoded sound to one rate, in planes of 32-bit floating-point samples for one or two channels.
final class SoundResampler {
  /// FFmpeg's name of the channels' layout.
  let layout: String
  private let rate: CInt
  private let channels: Int
  private var context: OpaquePointer?
  /// The form of the sound that the context converts.
  private var source: (rate: CInt, format: CInt, channels: CInt) = (0, 0, 0)

  init(rate: CInt, channels: Int) {
    (self.rate, self.channels) = (rate, channels)
    layout = channels == 1 ? "mono" : "stereo"
  }

  deinit { swr_free(&context) }

  /// The number of samples that wait in the filter.
  var delay: Int64 { context == nil ? 0 : swr_get_delay(context, Int64(rate)) }

  /// Returns whether a frame continues the sound.
  func matches(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    context != nil && source == Self.form(frame)
  }

  private static func form(
    _ frame: UnsafeMutablePointer<AVFrame>
  ) -> (rate: CInt, format: CInt, channels: CInt) {
    (frame.pointee.sample_rate, frame.pointee.format, frame.pointee.ch_layout.nb_channels)
  }

  /// Begins again, for sound in the form of a frame.
  ///
  /// - Returns: false for a form that can't be converted.
  func open(
    for frame: UnsafeMutablePointer<AVFrame>, of decoder: UnsafeMutablePointer<AVCodecContext>?
  ) -> Bool {
    swr_free(&context)
    source = Self.form(frame)
    // All versions of FFmpeg have these functions; those on layouts of channels are newer than some.
    var channels: UnsafeMutablePointer<UInt8>?
    guard av_opt_get(decoder, "ch_layout", 0, &channels) >= 0, let channels else { return false }
    defer { av_free(channels) }
    context = swr_alloc()
    guard let options = UnsafeMutableRawPointer(context) else { return false }
    let name = String(cString: channels)
    let statuses = [
      av_opt_set(options, "in_chlayout", name, 0),
      av_opt_set(options, "out_chlayout", layout, 0),
      av_opt_set_int(options, "in_sample_rate", Int64(source.rate), 0),
      av_opt_set_int(options, "out_sample_rate", Int64(rate), 0),
      av_opt_set_sample_fmt(options, "in_sample_fmt", AVSampleFormat(source.format), 0),
      av_opt_set_sample_fmt(options, "out_sample_fmt", AV_SAMPLE_FMT_FLTP, 0),
      swr_init(context),
    ]
    if statuses.contains(where: { $0 < 0 }) { swr_free(&context) }
    return context != nil
  }

  /// Returns the samples of each channel, which may be fewer or more than the frame's.
  func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> [[Float]] {
    let count = frame.pointee.nb_samples
    let planes = UnsafeMutableRawPointer(frame.pointee.extended_data)
    return convert(planes?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), count)
  }

  /// Returns the samples that wait in the filter, and ends the sound.
  func rest() -> [[Float]] {
    defer { swr_free(&context) }
    return convert(nil, 0)
  }

  private func convert(
    _ input: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: CInt
  ) -> [[Float]] {
    let empty = Array(repeating: [Float](), count: channels)
    let room = context == nil ? 0 : swr_get_out_samples(context, count)
    guard room > 0 else { return empty }
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: Int(room) * channels)
    defer { buffer.deallocate() }
    var planes: [UnsafeMutablePointer<UInt8>?] = (0..<channels).map {
      UnsafeMutableRawPointer(buffer + $0 * Int(room)).assumingMemoryBound(to: UInt8.self)
    }
    let written = swr_convert(context, &planes, room, input, count)
    guard written > 0 else { return empty }
    return (0..<channels).map {
      Array(UnsafeBufferPointer(start: buffer + $0 * Int(room), count: Int(written)))
    }
  }
}
