import CAVFormat
import Timekeeping

/// The fragments from one position of a film on: from its beginning, or from a keyframe after a seek.
final class FragmentRun {
  private let packets: PacketRun
  private let muxer: FragmentMuxer
  private var isAtEnd = false

  /// - Parameter time: the time that a seek led to; nil at the film's beginning.
  init(
    _ input: FilmInput, _ choice: TrackChoice, from time: MediaTime?, _ quality: ConversionQuality
  ) throws(FragmentError) {
    packets = try PacketRun(input, choice, from: time, quality)
    muxer = try FragmentMuxer(packets.tracks)
  }

  /// Returns the next fragment, which the next call returns again; nil at the end of the film.
  func peek() throws(FragmentError) -> Fragment? {
    while muxer.complete.isEmpty, !isAtEnd {
      isAtEnd = try !packets.read(muxer.add)
      if isAtEnd { try muxer.finish() }
    }
    return muxer.complete.first
  }

  /// Returns the next fragment; nil at the end of the film.
  func next() throws(FragmentError) -> Fragment? {
    _ = try peek()
    return muxer.take()
  }
}
