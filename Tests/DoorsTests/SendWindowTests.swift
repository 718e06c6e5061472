import Testing
import Timekeeping

@testable import Doors

@Suite("The bytes of a film on a line")
struct SendWindowTests {
  /// A line of a rate and a delay, with a queue before it.
  private struct Line {
    var bytesPerSecond: Double
    var delay: Duration
    var freeAt = Samples.start

    mutating func arrival(of count: Int, sentAt now: HostTime) -> HostTime {
      freeAt = max(freeAt, now) + .seconds(Double(count) / bytesPerSecond)
      return freeAt + delay
    }
  }

  /// Sends as much as the window takes for a while.
  ///
  /// - Returns: the bytes that arrived in the last half, and the longest queue there.
  private func run(
    _ line: Line, for seconds: Double, needing demand: Double = .infinity
  ) -> (bytesPerSecond: Double, queue: Duration) {
    var (line, window) = (line, SendWindow())
    var now = Samples.start
    let end = now + .seconds(seconds)
    let half = now + .seconds(seconds / 2)
    var arrivals: [(time: HostTime, total: Int)] = []
    var (total, counted) = (0, 0)
    var queue = Duration.zero
    while now < end {
      while window.isOpen,
        Double(total) < demand * (now - Samples.start).inSeconds + Double(SendWindow.least)
      {
        window.sent(48 << 10, at: now)
        total += 48 << 10
        arrivals.append((line.arrival(of: 48 << 10, sentAt: now) + line.delay, total))
      }
      if now >= half { queue = max(queue, line.freeAt - now) }
      while let first = arrivals.first, first.time <= now {
        window.confirmed(first.total, at: first.time)
        if first.time >= half { counted += 48 << 10 }
        arrivals.removeFirst()
      }
      now = now + .milliseconds(5)
    }
    return (Double(counted) / (seconds / 2), queue)
  }

  @Test(
    "A line is used well, and its queue delays other messages little",
    arguments: [(1e6, 5), (1e6, 40), (4e6, 20), (12e6, 60), (300e3, 30)])
  func lines(_ bytesPerSecond: Double, _ milliseconds: Int) {
    let result = run(
      Line(bytesPerSecond: bytesPerSecond, delay: .milliseconds(Double(milliseconds))), for: 60)
    #expect(result.bytesPerSecond > 0.8 * bytesPerSecond)
    // On a slow line two messages of the least window are the queue.
    let least = Duration.seconds(Double(SendWindow.least + 48 << 10) / bytesPerSecond)
    #expect(result.queue < max(SendWindow.target * 2.5, least * 1.5))
  }

  @Test("The rate is that of the last ten seconds")
  func rate() {
    var window = SendWindow()
    for second in 0..<30 { window.sent(125_000, at: HostTime(nanoseconds: 0) + .seconds(second)) }
    #expect(abs(window.rate(at: HostTime(nanoseconds: 0) + .seconds(29.5)) - 1_000_000) < 1)
    #expect(window.rate(at: HostTime(nanoseconds: 0) + .seconds(60)) == 0)
  }

  @Test("More bytes than were sent aren't confirmed, and a new stream begins empty")
  func bounds() {
    var window = SendWindow()
    window.sent(1000, at: Samples.start)
    window.confirmed(5000, at: Samples.start + .milliseconds(10))
    #expect(window.underWay == 1000)
    window.confirmed(1000, at: Samples.start + .milliseconds(10))
    #expect(window.underWay == 0)
    window.sent(700, at: Samples.start)
    window.begin()
    #expect(window.underWay == 0 && window.isOpen)
  }
}
