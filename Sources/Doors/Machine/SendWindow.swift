import Timekeeping

/// The bytes of a film that may be under way to a page: as many as the line carries without a queue that delays the
/// party's own messages. The window follows the delay of the page's confirmations, as in LEDBAT (RFC 6817).
struct SendWindow: Sendable {
  /// The queue that the film may cause on the line.
  static let target = Duration.milliseconds(100)
  static let least = 96 << 10
  static let most = 4 << 20
  /// The interval for which the least delay of confirmations counts: the line may change.
  private static let memory = Duration.seconds(60)
  /// The time over which the rate is averaged: pages ask for film in steps of seconds.
  private static let ratePeriod = Duration.seconds(10)

  private(set) var size = 256 << 10
  var underWay: Int { total - confirmed }
  private var sent: [(end: Int, time: HostTime)] = []
  private var total = 0
  private var confirmed = 0
  private var recent: [(count: Int, time: HostTime)] = []
  private var base: (delay: Duration, time: HostTime)?

  /// A Boolean value that indicates whether more bytes may be sent.
  var isOpen: Bool { underWay < size }

  /// A new stream begins: what was under way of the last one is dropped.
  mutating func begin() {
    (sent, total, confirmed) = ([], 0, 0)
  }

  mutating func sent(_ count: Int, at now: HostTime) {
    total += count
    sent.append((total, now))
    recent.removeAll { now - $0.time > Self.ratePeriod }
    recent.append((count, now))
  }

  /// Returns the bits per second of the last ten seconds.
  func rate(at now: HostTime) -> Double {
    let bytes = recent.filter { now - $0.time <= Self.ratePeriod }.reduce(0) { $0 + $1.count }
    return Double(8 * bytes) / (Self.ratePeriod / .seconds(1))
  }

  /// The page has received this many bytes of the stream.
  mutating func confirmed(_ bytes: Int, at now: HostTime) {
    guard bytes > confirmed, bytes <= total else { return }
    let new = bytes - confirmed
    confirmed = bytes
    var latest: HostTime?
    while let first = sent.first, first.end <= bytes {
      latest = first.time
      sent.removeFirst()
    }
    guard let latest else { return }
    let delay = now - latest
    if base.map({ delay <= $0.delay || now - $0.time > Self.memory }) ?? true {
      base = (delay, now)
    }
    let queue = delay - (base?.delay ?? .zero)
    let offTarget = min(1, max(-1, (Self.target - queue) / Self.target))
    size += Int(offTarget * Double(min(new, size)) / 2)
    size = min(max(size, Self.least), Self.most)
  }
}
