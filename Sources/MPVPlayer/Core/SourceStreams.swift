import CMPV
import Synchronization
import Timekeeping

/// The source that libmpv may open, and its stream (`mpv/stream_cb.h`). No file and no port that others can read is
/// between the two.
final class SourceStreams: Sendable {
  /// The scheme of the sources' locations.
  private static let scheme = "shared"

  static func isSource(_ location: String) -> Bool { location.hasPrefix(scheme + "://") }

  /// mpv's options for a film from a source. Its bytes are kept already; so that each seek reaches the stream, and a read
  /// can give way to it, mpv keeps none that were played.
  static let fileOptions = [
    "cache": "yes", "cache-secs": "10", "demuxer-seekable-cache": "no",
    "stream-buffer-size": "4096",
  ]

  private struct State {
    var source: (location: String, source: any MediaSource)?
    var streams: [SourceStream] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Makes a core open the source's location here.
  func register(with mpv: OpaquePointer) throws(MPVError) {
    let status = mpv_stream_cb_add_ro(
      mpv, Self.scheme, Unmanaged.passUnretained(self).toOpaque(), openStream)
    try MPVError.check(status, "mpv_stream_cb_add_ro")
  }

  /// Sets the source of the next film; nil for a film that has none. A stream that is open stays.
  func set(_ source: (any MediaSource)?, at location: String) {
    state.withLock { $0.source = source.map { (location, $0) } }
  }

  /// A seek is about to be sent to libmpv.
  ///
  /// - Parameter isNear: whether it leads to bytes that come soon after those that a read may wait for.
  func seekIsSent(isNear: Bool) {
    guard !isNear else { return }
    for stream in state.withLock({ $0.streams }) { stream.seekIsSent() }
  }

  /// The time that a read which is blocked when a seek begins has to end by itself. A read that fails costs libmpv more.
  static let patience = Duration.milliseconds(300)

  /// The player goes elsewhere in the film. libmpv (0.35) leaves a blocked read alone, and its seek would wait for the
  /// bytes of the old place: the read gives way at the next ``wake()`` after ``patience``.
  ///
  /// - Parameter time: the time at which libmpv reported the seek.
  /// - Returns: whether a read has to give way.
  func seekBegan(at time: HostTime) -> Bool {
    var mustYield = false
    for stream in state.withLock({ $0.streams }) where stream.seekBegan(at: time) {
      mustYield = true
    }
    return mustYield
  }

  func wake() {
    for stream in state.withLock({ $0.streams }) { stream.wake() }
  }

  /// Releases all reads: the core ends, and a blocked read would keep it.
  func end() {
    let streams = state.withLock { state in
      state.isOver = true
      return state.streams
    }
    for stream in streams { stream.cancel() }
  }

  fileprivate func open(_ location: String) -> SourceStream? {
    state.withLock { state in
      guard !state.isOver, let (known, source) = state.source, known == location else {
        return nil
      }
      let stream = SourceStream(source)
      state.streams.append(stream)
      return stream
    }
  }

  fileprivate func closed(_ stream: SourceStream) {
    state.withLock { $0.streams.removeAll { $0 === stream } }
  }
}

/// A source while libmpv has it open.
private final class SourceStream: Sendable {
  private struct State {
    /// The position of the next read.
    var position: Int64 = 0
    var isCancelled = false
    /// The number of times that the stream went to another place.
    var seeks = 0
    /// ``seeks`` when the last seek was sent; nil once it has begun.
    var seeksWhenSent: Int?
    /// The time since which the current read is blocked.
    var blockedSince: HostTime?
    /// The time at which a seek began that hasn't reached the stream.
    var seekBegan: HostTime?
    /// A Boolean value that indicates whether a read gave way to that seek.
    var hasYielded = false

    func mustReturn(since blocked: HostTime, at now: HostTime) -> Bool {
      if isCancelled { return true }
      guard let seekBegan, now < seekBegan + SourceStream.yieldLimit else { return false }
      // After a failed read libmpv looks for the next part that it can read.
      return hasYielded || blocked <= seekBegan && now >= seekBegan + SourceStreams.patience
    }
  }

  private let source: any MediaSource
  private let state = Mutex(State())

  /// The time after which a seek has reached the stream, or never does.
  private static let yieldLimit = Duration.seconds(2)
  /// The distance within which libmpv looks for the next part after a read that failed, in bytes.
  private static let searchDistance: Int64 = 1 << 20

  init(_ source: any MediaSource) { self.source = source }

  var size: Int64 { source.size }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int64 {
    let start = state.withLock { $0.position }
    let count = source.read(at: start, into: buffer, unless: { mustReturn(at: .now()) })
    return state.withLock { state in
      state.blockedSince = nil
      guard let count else {
        state.hasYielded = state.seekBegan != nil
        return -1
      }
      state.position = start + Int64(count)
      return Int64(count)
    }
  }

  private func mustReturn(at now: HostTime) -> Bool {
    state.withLock { state in
      let blocked = state.blockedSince ?? now
      state.blockedSince = blocked
      return state.mustReturn(since: blocked, at: now)
    }
  }

  func seek(to offset: Int64) -> Int64 {
    guard (0...source.size).contains(offset) else { return Int64(MPV_ERROR_GENERIC.rawValue) }
    state.withLock { state in
      let isSearch =
        state.hasYielded
        && (state.position...state.position + Self.searchDistance).contains(offset)
      if !isSearch { (state.seekBegan, state.hasYielded) = (nil, false) }
      state.position = offset
      state.seeks += 1
    }
    return offset
  }

  func seekIsSent() { state.withLock { $0.seeksWhenSent = $0.seeks } }

  /// - Returns: whether a read is blocked at a place that the seek leaves.
  func seekBegan(at time: HostTime) -> Bool {
    state.withLock { state in
      defer { state.seeksWhenSent = nil }
      // A seek of the user in libmpv's window waits for the bytes of the old place.
      guard let blocked = state.blockedSince, blocked < time, state.seeksWhenSent == state.seeks
      else { return false }
      (state.seekBegan, state.hasYielded) = (time, false)
      return true
    }
  }

  func wake() { source.wake() }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    source.wake()
  }
}

/// The stream that libmpv knows, with the sources that keep it.
private final class Cookie: Sendable {
  let stream: SourceStream
  private let owner: SourceStreams

  init(_ stream: SourceStream, of owner: SourceStreams) {
    (self.stream, self.owner) = (stream, owner)
  }

  deinit { owner.closed(stream) }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> Cookie {
    Unmanaged<Cookie>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// Opens a source. libmpv keeps the stream until it calls `close_fn`.
private func openStream(
  _ streams: UnsafeMutableRawPointer?, _ location: UnsafeMutablePointer<CChar>?,
  _ info: UnsafeMutablePointer<mpv_stream_cb_info>?
) -> CInt {
  guard let streams, let location, let info else { return MPV_ERROR_LOADING_FAILED.rawValue }
  let owner = Unmanaged<SourceStreams>.fromOpaque(streams).takeUnretainedValue()
  guard let stream = owner.open(String(cString: location)) else {
    return MPV_ERROR_LOADING_FAILED.rawValue
  }
  info.pointee.cookie = Unmanaged.passRetained(Cookie(stream, of: owner)).toOpaque()
  info.pointee.read_fn = { cookie, bytes, count in
    Cookie.of(cookie).stream.read(into: .init(start: bytes, count: Int(min(count, 1 << 24))))
  }
  info.pointee.seek_fn = { cookie, offset in Cookie.of(cookie).stream.seek(to: offset) }
  info.pointee.size_fn = { Cookie.of($0).stream.size }
  info.pointee.cancel_fn = { Cookie.of($0).stream.cancel() }
  info.pointee.close_fn = { Unmanaged<Cookie>.fromOpaque($0!).release() }
  return 0
}
