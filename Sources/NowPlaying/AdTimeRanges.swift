import Timekeeping

/// The parts of an item that are not its content, in item times, and the conversion to *content times*, which leave
/// them out. What readers see are content times; what a player is told are item times.
public struct AdTimeRanges: Hashable, Sendable {
  /// In order, apart from each other.
  public let ranges: [Range<MediaTime>]

  public static let none = AdTimeRanges([])

  /// - Parameter ranges: in any order; those that overlap or touch become one, empty ones are left out.
  public init(_ ranges: [Range<MediaTime>]) {
    var merged: [Range<MediaTime>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self.ranges = merged
  }

  /// Inside of a range time stands still, at where the content goes on.
  public func contentTime(ofItemTime itemTime: MediaTime) -> MediaTime {
    ranges.reduce(itemTime) { time, range in
      guard itemTime > range.lowerBound else { return time }
      return time - (min(itemTime, range.upperBound) - range.lowerBound)
    }
  }

  /// At a place where the content is interrupted, the end of the interruption.
  public func itemTime(ofContentTime contentTime: MediaTime) -> MediaTime {
    ranges.reduce(contentTime) { time, range in
      time >= range.lowerBound ? time + (range.upperBound - range.lowerBound) : time
    }
  }

  /// Whether something else than the content is at this place.
  public func contains(_ itemTime: MediaTime) -> Bool { ranges.contains { $0.contains(itemTime) } }

  /// Where the next range begins or ends, after a place.
  func boundary(after itemTime: MediaTime) -> MediaTime? {
    ranges.lazy.flatMap { [$0.lowerBound, $0.upperBound] }.first { $0 > itemTime }
  }
}
