import Timekeeping

/// The part of a shared film that has arrived.
package struct ArrivedPart: Hashable, Sendable {
  /// The number of bytes that are here, and that of the whole film.
  package var bytes: Int
  package var size: Int

  package init(bytes: Int, size: Int) { (self.bytes, self.size) = (bytes, size) }
}

/// Measures whether the link to those who have a shared film carries it as fast as it plays.
struct ShareMeter: Hashable, Sendable {
  /// The reason why a film can't play without stops now.
  struct Shortage: Hashable, Sendable {
    /// The rates of the link and of the film, in bits per second.
    var link: Double
    var film: Double
    /// The time after which the rest of the film arrives before it is needed.
    var wait: Duration
  }

  private struct Beginning: Hashable, Sendable {
    var bytes: Int
    var at: HostTime
  }

  private var begin: Beginning?
  private var wasTold = false

  /// The time that a measurement takes. Requests need some round trips until they fill the link.
  private static let span = Duration.seconds(6)

  /// Notes the part that has arrived.
  ///
  /// - Parameters:
  ///   - duration: the film's duration.
  ///   - position: the place from which the film plays on.
  /// - Returns: the shortage, once.
  mutating func note(
    _ part: ArrivedPart, of duration: Duration, at position: Duration, now: HostTime
  ) -> Shortage? {
    guard !wasTold, part.size > part.bytes, duration > .zero else { return nil }
    guard let begin else {
      begin = Beginning(bytes: part.bytes, at: now)
      return nil
    }
    let time = now - begin.at
    guard time >= Self.span else { return nil }
    let link = Double(part.bytes - begin.bytes) / time.inSeconds
    let film = Double(part.size) / duration.inSeconds
    self.begin = Beginning(bytes: part.bytes, at: now)
    guard link > 0, link < film else { return nil }
    let wait =
      Double(part.size - part.bytes) / link - max(.zero, duration - position).inSeconds
    guard wait > 0 else { return nil }
    wasTold = true
    return Shortage(link: link * 8, film: film * 8, wait: .seconds(Int(wait.rounded(.up))))
  }
}
