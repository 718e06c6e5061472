import CAVFormat
import Timekeeping

/// A coarse map from the times of a film to the offsets in its file.
package struct FilmMap: Hashable, Sendable, Codable {
  /// The times in seconds and the offsets in KiB, both in ascending order, and as many.
  private var seconds: [Int] = []
  private var kibibytes: [Int] = []

  /// More places than fit into the description of a shared film.
  private static let limit = 600
  /// The shortest time between two places, in seconds.
  private static let step = 2.0
  /// The largest value that a map may contain: a film of 1 TiB.
  private static let valueLimit = 1 << 30

  /// Seeks through a file. It blocks: call it on a separate thread.
  ///
  /// - Returns: nil for a file in which libavformat can't seek.
  package static func read(_ path: String) -> FilmMap? {
    MediaInformation.withContainer(path) { container in
      // The headers of some formats state no duration.
      if container.duration == nil { avformat_find_stream_info(container.context, nil) }
      return FilmMap(container)
    }
  }

  private init?(_ container: OpenContainer) {
    guard let duration = container.duration else { return nil }
    let step = max(Self.step, Double(duration) / 1e6 / Double(Self.limit))
    guard let first = container.packet(at: nil) else { return nil }
    add(0, 0)
    for place in stride(from: step, to: Double(duration) / 1e6, by: step) {
      guard let packet = container.packet(at: first.seconds + place) else { continue }
      add(Int(packet.seconds - first.seconds), packet.offset >> 10)
    }
    guard seconds.count > 1 else { return nil }
  }

  /// Some formats lead to a place before the last one.
  private mutating func add(_ second: Int, _ offset: Int) {
    guard second > seconds.last ?? -1, offset >= kibibytes.last ?? 0, seconds.count < Self.limit
    else { return }
    seconds.append(second)
    kibibytes.append(offset)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    seconds = try container.decode([Int].self, forKey: .seconds)
    kibibytes = try container.decode([Int].self, forKey: .kibibytes)
    func isValid(_ values: [Int]) -> Bool {
      (2...Self.limit).contains(values.count) && values == values.sorted()
        && (0...Self.valueLimit).contains(values.first!) && values.last! <= Self.valueLimit
    }
    guard isValid(seconds), isValid(kibibytes), seconds.count == kibibytes.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .seconds, in: container, debugDescription: "not a map")
    }
  }

  /// Returns the approximate offset of a time, in bytes.
  package func offset(at time: MediaTime) -> Int64 {
    let second = min(max(0, time.seconds), Double(Self.valueLimit))
    let next = min(max(1, seconds.firstIndex { Double($0) > second } ?? .max), seconds.count - 1)
    let (start, end) = (Double(seconds[next - 1]), Double(seconds[next]))
    let part = end > start ? (min(second, end) - start) / (end - start) : 0
    let (from, to) = (Double(kibibytes[next - 1]), Double(kibibytes[next]))
    return Int64(max(0, from + (to - from) * part) * 1024)
  }
}

extension OpenContainer {
  /// Returns the place of the first packet at a time; nil if there is none with a time and an offset.
  ///
  /// - Parameter time: a time of the file in seconds; nil for the file's beginning.
  fileprivate func packet(at time: Double?) -> (seconds: Double, offset: Int)? {
    if let time, av_seek_frame(context, -1, Int64(time * 1e6), AVSEEK_FLAG_BACKWARD) < 0 {
      return nil
    }
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    // A few packets without an offset may come first.
    for _ in 0..<16 {
      guard let found = packet, av_read_frame(context, found) >= 0 else { return nil }
      defer { av_packet_unref(found) }
      let stamp = found.pointee.pts == matinee_no_time ? found.pointee.dts : found.pointee.pts
      guard found.pointee.pos >= 0, stamp != matinee_no_time,
        let seconds = seconds(of: stamp, in: Int(found.pointee.stream_index)), abs(seconds) < 1e9
      else { continue }
      return (seconds, Int(found.pointee.pos))
    }
    return nil
  }
}
