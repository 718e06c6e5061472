import AVFormat
import Concurrency
import Foundation
import GroupActivities
import Timekeeping

/// The keeper's film as a stream of fragments to one page: from where the page asks for it, as far as the page wants it,
/// and as fast as the line carries it.
actor FilmFeed {
  /// A reader that one thread at a time uses.
  private struct Reader: @unchecked Sendable {
    let fragments: FragmentReader
    let probe: StreamProbe
  }

  /// A wish of the page.
  enum Order: Sendable {
    /// Begin the stream with this number at the keyframe at or before a position.
    case fetch(UInt32, from: MediaTime)
    /// Send fragments until one ends at or after a position.
    case more(UInt32, upTo: MediaTime)
    /// The page has received this many bytes of the stream.
    case got(UInt32, Int)
  }

  private let reader: Reader
  private let send: @Sendable ([UInt8]) -> Void
  private let failed: @Sendable (FragmentError) -> Void
  private nonisolated let orders: AsyncStream<Order>.Continuation
  private var window = SendWindow()
  private var stream: UInt32 = 0
  private var upTo = MediaTime.zero
  /// The film's first time stamp. Players count from there, and so does the party.
  private let origin: Duration
  /// The end of the last fragment that was read.
  private var end = MediaTime.zero
  private var waiting: [[UInt8]] = []
  private var isAtEnd = false

  /// The part of a fragment in one message. A relay takes 64 KiB.
  private static let frameSize = 48 << 10
  /// The largest part of a film that one request asks for.
  private static let furthest = Duration.seconds(90)

  private init(
    _ reader: Reader, _ send: @escaping @Sendable ([UInt8]) -> Void,
    _ failed: @escaping @Sendable (FragmentError) -> Void
  ) {
    self.reader = reader
    origin = reader.fragments.film.start - .zero
    self.send = send
    self.failed = failed
    let (stream, continuation) = AsyncStream.makeStream(
      of: Order.self, bufferingPolicy: .bufferingNewest(1024))
    orders = continuation
    Task { [weak self] in for await order in stream { await self?.perform(order) } }
  }

  /// Opens a film.
  ///
  /// - Parameters:
  ///   - plays: the formats that the page's browser plays.
  ///   - send: sends a message to the page.
  ///   - failed: called when the film can't be read any more.
  static func open(
    _ path: String, plays: Set<String>, audioTrack: Int?,
    send: @escaping @Sendable ([UInt8]) -> Void,
    failed: @escaping @Sendable (FragmentError) -> Void
  ) async -> Result<(FilmFeed, FragmentedFilm), FragmentError> {
    let result = await OwnedThread.run("open fragments") {
      () -> Result<(Reader, FragmentedFilm), FragmentError> in
      do throws(FragmentError) {
        let probe = StreamProbe.unlimited
        let reader = try FragmentReader(
          path: path, plays: plays, audioTrack: audioTrack, probe: probe)
        return .success((Reader(fragments: reader, probe: probe), reader.film))
      } catch {
        return .failure(error)
      }
    }
    return result.map { (FilmFeed($0.0, send, failed), $0.1) }
  }

  /// The bits per second that are sent.
  var rate: Double { window.rate(at: .now()) }

  nonisolated func order(_ order: Order) { orders.yield(order) }

  private func perform(_ order: Order) async {
    do throws(FragmentError) {
      switch order {
      case .fetch(let stream, let position): try await fetch(stream, from: position)
      case .more(let stream, let position):
        guard stream == self.stream else { return }
        upTo = min(position, end + Self.furthest)
        try await pump()
      case .got(let stream, let bytes):
        guard stream == self.stream else { return }
        window.confirmed(bytes, at: .now())
        try await pump()
      }
    } catch {
      failed(error)
    }
  }

  private func fetch(_ stream: UInt32, from position: MediaTime) async throws(FragmentError) {
    // A page's streams have rising numbers: an older one is late.
    guard stream > self.stream else { return }
    self.stream = stream
    (waiting, isAtEnd, upTo, end) = ([], false, position, position)
    window.begin()
    let result = await OwnedThread.run("seek fragments") { [reader, origin] in
      Result { () throws(FragmentError) in try reader.fragments.seek(to: position + origin) }
    }
    try result.get()
  }

  /// Ends a read that blocks.
  nonisolated func close() {
    orders.finish()
    reader.probe.cancel()
  }

  /// Sends as much as the window takes.
  private func pump() async throws(FragmentError) {
    while true {
      while window.isOpen, !waiting.isEmpty {
        let frame = waiting.removeFirst()
        window.sent(frame.count - Self.headCount, at: .now())
        send(frame)
      }
      guard waiting.isEmpty, !isAtEnd, end < upTo else { return }
      let result = await OwnedThread.run("next fragment") { [reader] in
        Result { () throws(FragmentError) in try reader.fragments.next() }
      }
      if let fragment = try result.get() {
        waiting = frames(of: fragment)
        if !fragment.isInit { end = fragment.end - origin }
      } else {
        isAtEnd = true
        waiting = [frame([], start: end, end: end, flags: Self.last | Self.isFilmsEnd)]
      }
    }
  }

  // MARK: - Messages

  private static let last: UInt8 = 1
  private static let isFilmsEnd: UInt8 = 2
  private static let isInit: UInt8 = 4
  private static let headCount = 1 + 4 + 1 + 8 + 8

  private func frames(of fragment: Fragment) -> [[UInt8]] {
    let flags = fragment.isInit ? Self.isInit : 0
    return stride(from: 0, to: fragment.bytes.count, by: Self.frameSize).map { offset in
      let next = min(offset + Self.frameSize, fragment.bytes.count)
      return frame(
        fragment.bytes[offset..<next], start: fragment.start - origin,
        end: fragment.end - origin,
        flags: flags | (next == fragment.bytes.count ? Self.last : 0))
    }
  }

  private func frame(
    _ bytes: ArraySlice<UInt8>, start: MediaTime, end: MediaTime, flags: UInt8
  ) -> [UInt8] {
    [1] + UInt64(stream).bigEndianBytes.suffix(4) + [flags]
      + start.seconds.bitPattern.bigEndianBytes + end.seconds.bitPattern.bigEndianBytes + bytes
  }
}
