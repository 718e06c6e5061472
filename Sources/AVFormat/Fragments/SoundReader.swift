import CAVFormat
import Timekeeping

/// Reads the sound of a film as one channel of 8000 samples per second, from mpv's position 0 on.
///
/// Each sample keeps its time: gaps are filled with silence, and overlaps are cut.
///
/// One thread uses it. Its calls wait for the disk.
package final class SoundReader {
  /// The number of samples per second.
  package static let rate = 8000

  private let input: FilmInput
  private let decoder: FrameDecoder
  private let resampler = SoundResampler(rate: CInt(rate), channels: 1)
  /// The parts that were decoded and not yet returned, each after a number of silent samples.
  private var waiting: [(silence: Int, samples: [Float])] = []
  /// The position after all of these, in samples.
  private var position = 0
  /// The mean difference of the time stamps from the number of samples.
  private var drift = 0.0
  private var hasBegun = false
  private var isAtEnd = false

  private static let unit = AVRational(num: 1, den: CInt(rate))
  /// The most samples that one call returns as silence.
  private static let silenceLimit = 60 * rate
  /// The longest gap, 12 hours: the time stamps beyond it are wrong.
  private static let gapLimit = 12 * 3600 * rate
  /// Time stamps of Matroska are rounded to a millisecond.
  private static let tolerance = 0.002 * Double(rate)

  /// Opens a film. The track is the one that mpv plays by itself.
  ///
  /// - Parameters:
  ///   - path: the path of a local file. No other file is opened.
  ///   - probe: ends the reading for good when it is cancelled, from any thread.
  /// - Throws: ``FragmentError/noSound`` for a film without a sound track.
  package init(path: String, probe: StreamProbe = .unlimited) throws(FragmentError) {
    input = try FilmInput(path, formats: MediaInformation.containers, probe)
    let tracks = TrackChoice.streams(of: AVMEDIA_TYPE_AUDIO, in: input.streams)
    guard let stream = TrackChoice.preferred(tracks) else { throw .noSound }
    guard let decoder = FrameDecoder(stream, threads: 1) else {
      throw .sound(codec: stream.codecName)
    }
    self.decoder = decoder
    input.select([Int(stream.pointee.index)])
  }

  /// Reads the samples that follow, at most a minute of them.
  ///
  /// - Returns: nil at the end of the film.
  package func next() throws(FragmentError) -> [Float]? {
    while true {
      if let part = waiting.first {
        if part.silence > 0 {
          let count = min(part.silence, Self.silenceLimit)
          waiting[0].silence -= count
          return Array(repeating: 0, count: count)
        }
        waiting.removeFirst()
        if !part.samples.isEmpty { return part.samples }
        continue
      }
      guard !isAtEnd else { return nil }
      let packet = try input.next()
      try decoder.decode(packet, to: Self.unit) { frame, time throws(FragmentError) in
        append(frame, at: time)
      }
      guard packet == nil else { continue }
      isAtEnd = true
      store(resampler.rest()[0], after: 0)
    }
  }

  private func append(_ frame: UnsafeMutablePointer<AVFrame>, at stamp: Int64?) {
    if !resampler.matches(frame) {
      store(resampler.rest()[0], after: 0)
      guard resampler.open(for: frame, of: decoder.context) else { return }
    }
    let start = Self.unit.stamp(input.start)
    let time = stamp.map { Int($0 - resampler.delay - start) } ?? position
    var difference = time - position
    drift += (Double(difference) - drift) / 16
    // Single time stamps may be inexact.
    if hasBegun && abs(drift) < Self.tolerance && abs(difference) < Self.rate / 20
      || difference > Self.gapLimit
    {
      difference = 0
    } else {
      drift = 0
    }
    hasBegun = true
    store(resampler.convert(frame)[0], after: difference)
  }

  /// Adds samples after a gap; below 0, after an overlap.
  private func store(_ added: [Float], after gap: Int) {
    let part = (silence: max(0, gap), samples: Array(added.dropFirst(max(0, -gap))))
    position += part.silence + part.samples.count
    waiting.append(part)
  }
}
