import CAVFormat

/// Completes the time stamps of one stream's packets, which files may lack or give inexactly.
struct PacketClock {
  /// The unit of the times that it gives.
  let base: AVRational
  private let source: AVRational
  private let parameters: UnsafeMutablePointer<AVCodecParameters>
  /// The usual duration of a picture.
  private let interval: Int64
  private var last: (dts: Int64, duration: Int64)?
  /// The state of `av_rescale_delta`.
  private var remainder = matinee_no_time

  init(_ stream: UnsafeMutablePointer<AVStream>) {
    parameters = stream.pointee.codecpar
    source = stream.pointee.time_base
    let rate = stream.pointee.avg_frame_rate
    if parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
      // Times in samples: those of Matroska are rounded to a millisecond.
      base = AVRational(num: 1, den: parameters.pointee.sample_rate)
    } else {
      base = source
    }
    let isKnown = rate.num > 0 && rate.den > 0
    interval = isKnown ? AVRational(num: rate.den, den: rate.num).rescale(1, to: base) : 1
  }

  /// Returns whether the time of a packet's presentation is unknown: pictures are then in another order than packets.
  func isUnordered(_ packet: Packet) -> Bool {
    packet.pts == matinee_no_time && parameters.pointee.video_delay > 0
  }

  /// Gives a packet both of its times, so that decoding times rise and presentation doesn't precede decoding.
  ///
  /// - Returns: false for a packet without a possible time.
  mutating func set(_ packet: Packet) -> Bool {
    let isSound = parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    let duration = isSound ? soundDuration(packet) : packet.duration
    if packet.dts == matinee_no_time { packet.dts = guess(packet, isSound: isSound) }
    guard packet.dts != matinee_no_time else { return false }
    if packet.pts == matinee_no_time || isSound { packet.pts = packet.dts }
    if isSound {
      packet.dts = av_rescale_delta(
        source, packet.dts, base, CInt(clamping: duration), &remainder, base)
      packet.pts = packet.dts
    }
    packet.duration = duration > 0 ? duration : interval
    if let last, packet.dts <= last.dts {
      // A second part of a film whose times begin again has no place on the timeline.
      guard base.time(last.dts - packet.dts).seconds < 1, !isSound || packet.dts == last.dts else {
        return false
      }
      packet.dts = last.dts + 1
    }
    packet.pts = max(packet.pts, packet.dts)
    last = (packet.dts, packet.duration)
    return true
  }

  private func guess(_ packet: Packet, isSound: Bool) -> Int64 {
    if isSound {
      guard packet.pts == matinee_no_time else { return packet.pts }
      return last.map { base.rescale($0.dts + $0.duration, to: source) } ?? matinee_no_time
    }
    guard packet.pts != matinee_no_time else {
      return last.map { $0.dts + $0.duration } ?? matinee_no_time
    }
    // Files without decoding times, such as Matroska's: a seek loses what libavformat knew of them.
    let delay = Int64(max(0, parameters.pointee.video_delay)) * interval
    return min(packet.pts, last.map { $0.dts + $0.duration } ?? packet.pts - delay)
  }

  /// Returns the number of samples in a packet.
  private func soundDuration(_ packet: Packet) -> Int64 {
    let known = av_get_audio_frame_duration2(parameters, packet.pointer.pointee.size)
    if known > 0 { return Int64(known) }
    if parameters.pointee.frame_size > 0 { return Int64(parameters.pointee.frame_size) }
    return source.rescale(packet.duration, to: base)
  }
}
