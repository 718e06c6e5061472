import CAVFormat

/// Converts the sound of a film to AAC, in one or two channels.
///
/// Each sample keeps its time: gaps are filled with silence, and overlaps are cut.
final class SoundEncoder {
  /// The unit of the packets' times: a sample.
  let base: AVRational
  /// The description of the packets.
  var parameters: UnsafeMutablePointer<AVCodecParameters> { encoder.parameters }
  private let decoder: FrameDecoder
  private let encoder: FrameEncoder
  private let resampler: SoundResampler
  /// The samples that wait for a whole frame, for each channel.
  private var samples: [[Float]]
  /// The time of the first of them; nil before the first sound.
  private var position: Int64?
  /// The mean difference of the time stamps from the number of samples.
  private var drift = 0.0

  /// The samples of a frame of AAC-LC.
  private static let frameSize = 1024
  /// Time stamps of Matroska are rounded to a millisecond.
  private static let tolerance = 0.002
  private static let rates: Set<CInt> = [22050, 24000, 32000, 44100, 48000]

  init(_ stream: UnsafeMutablePointer<AVStream>) throws(FragmentError) {
    let source = stream.pointee.codecpar!
    let rate = Self.rates.contains(source.pointee.sample_rate) ? source.pointee.sample_rate : 48000
    let channels = source.pointee.ch_layout.nb_channels == 1 ? 1 : 2
    base = AVRational(num: 1, den: rate)
    samples = Array(repeating: [], count: channels)
    resampler = SoundResampler(rate: rate, channels: channels)
    guard let decoder = FrameDecoder(stream, threads: 1),
      let encoder = FrameEncoder("aac", base: base)
    else { throw .sound(codec: stream.codecName) }
    (self.decoder, self.encoder) = (decoder, encoder)
    encoder.context.pointee.sample_rate = rate
    encoder.context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    encoder.context.pointee.bit_rate = channels == 1 ? 96_000 : 160_000
    av_opt_set(encoder.context, "ch_layout", resampler.layout, 0)
    try encoder.open()
  }

  /// Converts a packet of the file; nil ends the sound.
  ///
  /// - Parameter body: takes the packets that are complete. Each is valid during the call.
  func encode(
    _ source: Packet?, _ body: (Packet) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    try decoder.decode(source, to: base) { frame, time throws(FragmentError) in
      try append(frame, at: time, body)
      try drain(body)
    }
    guard source == nil else { return }
    store(resampler.rest())
    try pad(body)
    try encoder.finish(body)
  }

  private func append(
    _ frame: UnsafeMutablePointer<AVFrame>, at stamp: Int64?,
    _ body: (Packet) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    if !resampler.matches(frame) {
      store(resampler.rest())
      guard resampler.open(for: frame, of: decoder.context) else { return }
    }
    let time = stamp.map { $0 - resampler.delay }
    var converted = resampler.convert(frame)
    guard let expected = position.map({ $0 + Int64(samples[0].count) }) else {
      position = time ?? 0
      return store(converted)
    }
    let difference = (time ?? expected) - expected
    drift += (Double(difference) - drift) / 16
    // Single time stamps may be inexact.
    guard abs(drift) > Self.tolerance * Double(base.den) || abs(difference) > base.den / 20 else {
      return store(converted)
    }
    drift = 0
    if difference < 0 {
      let cut = Int(min(-difference, Int64(converted[0].count)))
      for channel in converted.indices { converted[channel].removeFirst(cut) }
    } else if difference < base.den {
      store(samples.map { _ in Array(repeating: 0, count: Int(difference)) })
    } else {
      try pad(body)
      position = time
    }
    store(converted)
  }

  private func store(_ added: [[Float]]) {
    for channel in samples.indices { samples[channel] += added[channel] }
  }

  /// Completes the last frame with silence.
  private func pad(_ body: (Packet) throws(FragmentError) -> Void) throws(FragmentError) {
    let missing = (Self.frameSize - samples[0].count % Self.frameSize) % Self.frameSize
    store(samples.map { _ in Array(repeating: 0, count: missing) })
    try drain(body)
  }

  /// Encodes all whole frames.
  private func drain(_ body: (Packet) throws(FragmentError) -> Void) throws(FragmentError) {
    while let time = position, samples[0].count >= Self.frameSize {
      position = time + Int64(Self.frameSize)
      try encoder.encode(at: time) { frame in
        frame.pointee.nb_samples = CInt(Self.frameSize)
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointee.sample_rate = base.den
        // A layout of this kind owns no memory.
        frame.pointee.ch_layout = encoder.context.pointee.ch_layout
      } write: { frame in
        for (channel, plane) in samples.enumerated() {
          let bytes = UnsafeMutableRawPointer(frame.pointee.extended_data[channel]!)
          plane.withUnsafeBytes {
            bytes.copyMemory(
              from: $0.baseAddress!, byteCount: Self.frameSize * MemoryLayout<Float>.stride)
          }
        }
      } _: { packet throws(FragmentError) in
        try body(packet)
      }
      for channel in samples.indices { samples[channel].removeFirst(Self.frameSize) }
    }
  }
}
