import CAVFormat
import Timekeeping

/// A smaller copy of a film, in parts that can be made in any order.
///
/// It is one file of fragmented MP4: a header, and a slot for each part. A part is shorter than its slot, and a box without
/// content fills the rest, so that the header's index is right before any part is made. All times are those of the film.
///
/// One thread uses it. Its calls wait for the disk and for the encoder.
package final class SmallCopy {
  /// The division of a copy's file.
  package struct Layout: Codable, Hashable, Sendable {
    /// The header's size, in bytes.
    package var header: Int
    /// The number of parts.
    package var parts: Int
    /// The duration of a part, in seconds.
    package var seconds: Int

    /// A Boolean value that indicates whether a participant may read a copy of this division.
    package var isValid: Bool {
      (1...1 << 20).contains(header) && (1...header).contains(index)
        && (1...Self.partLimit + 1).contains(parts)
        && (1...Self.secondsLimit).contains(seconds)
    }

    /// A participant adds a limited number of attachments to a session.
    fileprivate static let partLimit = 300
    fileprivate static let secondsLimit = 1024

    /// The size of the index at the header's end, in bytes.
    package var index: Int
    /// The size of a part's slot, in bytes: 8 Mbit/s.
    package var slot: Int { seconds << 20 }
    package var size: Int { header + parts * slot }

    /// Returns the beginning of the box that fills a slot after its part; all other bytes of it are zero.
    package static func filler(_ size: Int) -> [UInt8] { SmallCopy.beginning(of: "free", size) }
  }

  package let layout: Layout
  /// The first bytes of the file.
  package let header: [UInt8]
  private let input: FilmInput
  private let choice: TrackChoice
  private let quality: ConversionQuality
  private let film: FragmentedFilm
  /// The second, on the film's own timeline, at which the first part begins.
  private let first: Int
  private var run: PacketRun
  /// The packets that were read and belong to later parts.
  private var waiting: [[Packet]]
  /// The time before which sound isn't taken; nil to take all.
  private var soundBegin: MediaTime?
  private var isAtEnd = false
  /// The part that follows in the order of the film.
  private var next = -1

  /// The codecs that a copy may have. Sound in one of them isn't converted.
  private static let codecs: Set = ["avc1", "aac", "opus", "mp3"]
  /// The shortest part: the first picture waits for one.
  private static let shortest = 10
  /// The time after a part's end at which sound that hasn't come isn't waited for.
  private static let patience = 5

  /// Opens a film and makes the beginning of its copy.
  ///
  /// - Parameters:
  ///   - path: the path of a local file. No other file is opened.
  ///   - probe: ends the work for good when it is cancelled, from any thread.
  package init(
    path: String, _ quality: ConversionQuality, probe: StreamProbe = .unlimited
  ) throws(FragmentError) {
    let reader = try FragmentReader(
      path: path, plays: Self.codecs, convertsPicture: true, quality: quality, probe: probe)
    guard let start = try reader.next(), start.isInit, let length = reader.film.duration,
      reader.film.isPictureEncoded
    else { throw .empty }
    (input, choice, film) = (reader.input, reader.choice, reader.film)
    self.quality = quality
    first = Int(film.start.seconds.rounded(.down))
    let whole = Int((film.start + length).seconds.rounded(.up)) - first
    let seconds = max(Self.shortest, (whole + Layout.partLimit - 1) / Layout.partLimit)
    let count = (whole + seconds - 1) / seconds
    guard seconds <= Layout.secondsLimit else { throw .tooLarge }
    run = try PacketRun(input, choice, from: nil, quality)
    waiting = Array(repeating: [], count: run.tracks.count)
    let sizes = 40 + 12 * count
    let index = sizes * run.tracks.count
    layout = Layout(
      header: start.bytes.count + index, parts: count, seconds: seconds, index: index)
    let second = first
    let begins = (0..<count).map { MediaTime(seconds: Double(second + $0 * seconds)) }
    // Each track has an index, in which each part begins with a keyframe.
    var header = start.bytes
    for (track, other) in run.tracks.enumerated() {
      // libavformat takes the index's unit for that of the track.
      let unit = Double(track == 0 ? 90_000 : other.parameters.pointee.sample_rate)
      let times = (begins + [film.start + length]).map {
        Int((max(reader.film.start, $0, .zero).seconds * unit).rounded())
      }
      header += Self.beginning(of: "sidx", sizes) + Self.words(1 << 24, track + 1, Int(unit))
      header += Self.words(times[0] >> 32, times[0], 0, index - sizes * (track + 1), count)
      for part in 0..<count {
        header += Self.words(layout.slot, times[part + 1] - times[part], 0x9000_0000)
      }
    }
    self.header = header
  }

  /// Returns the part that holds a position of the film, which counts from its first time stamp.
  package func part(at position: MediaTime) -> Int {
    let second = Int((film.start + (position - .zero)).seconds.rounded(.down)) - first
    return min(max(0, second / layout.seconds), layout.parts - 1)
  }

  /// Makes a part: at most as many bytes as its slot has, less the filler's own eight.
  package func make(_ part: Int) throws(FragmentError) -> [UInt8] {
    if part != next { try seek(to: part) }
    next = -1
    let end = first + (part + 1) * layout.seconds
    let isLast = part == layout.parts - 1
    while !isAtEnd, isLast || !isComplete(before: end) {
      isAtEnd = try !run.read { packet, track in
        if track > 0, let soundBegin, run.tracks[track].base.time(packet.pts) < soundBegin {
          return
        }
        let kept = Packet()
        av_packet_move_ref(kept.pointer, packet.pointer)
        waiting[track].append(kept)
      }
    }
    // Players that know a fragment from the index look for the next one where the index has it.
    let muxer = try FragmentMuxer(run.tracks, isWhole: true)
    let counts = waiting.indices.map { isLast ? waiting[$0].count : count(of: $0, before: end) }
    var indices = waiting.map { _ in 0 }
    // The packets of all tracks in the order of their times.
    func time(_ track: Int) -> MediaTime {
      run.tracks[track].base.time(waiting[track][indices[track]].dts)
    }
    while let track = waiting.indices.filter({ indices[$0] < counts[$0] }).min(by: {
      time($0) < time($1)
    }) {
      try muxer.add(waiting[track][indices[track]], track: track)
      indices[track] += 1
    }
    for track in waiting.indices { waiting[track].removeFirst(counts[track]) }
    try muxer.finish()
    var bytes: [UInt8] = []
    while let fragment = muxer.take() { if !fragment.isInit { bytes += fragment.bytes } }
    guard bytes.count <= layout.slot - 8 else { throw .tooLarge }
    next = part + 1
    return bytes
  }

  private func seek(to part: Int) throws(FragmentError) {
    guard let picture = choice.picture else { throw .empty }
    let begin = MediaTime(seconds: Double(first + part * layout.seconds))
    isAtEnd = false
    try input.seek(Int(picture.pointee.index), to: begin)
    // The encoder begins with the picture that is shown at its time; the part with its own first one.
    let rate = film.frameRate.map { Double($0.denominator) / Double($0.numerator) } ?? 0
    let start = part == 0 ? nil : begin + .seconds(rate) - .microseconds(50)
    run = try PacketRun(input, choice, from: start, quality)
    waiting = Array(repeating: [], count: run.tracks.count)
    soundBegin = part == 0 ? nil : begin
  }

  /// Returns whether all packets before a second have been read.
  private func isComplete(before second: Int) -> Bool {
    guard let picture = waiting[0].last(where: \.isKey) else { return false }
    let base = run.tracks[0].base
    if picture.pts >= base.stamp(MediaTime(seconds: Double(second + Self.patience))) { return true }
    return waiting.indices.allSatisfy { count(of: $0, before: second) < waiting[$0].count }
  }

  /// Returns the number of a track's packets that belong before a second. Pictures do up to a keyframe.
  private func count(of track: Int, before second: Int) -> Int {
    let end = run.tracks[track].base.stamp(MediaTime(seconds: Double(second)))
    return waiting[track].firstIndex { $0.pts >= end && (track > 0 || $0.isKey) }
      ?? waiting[track].count
  }

  // MARK: - Boxes (ISO/IEC 14496-12)

  private static func words(_ values: Int...) -> [UInt8] {
    values.flatMap { withUnsafeBytes(of: UInt32(truncatingIfNeeded: $0).bigEndian, Array.init) }
  }

  private static func beginning(of box: String, _ size: Int) -> [UInt8] {
    words(size) + Array(box.utf8)
  }
}
