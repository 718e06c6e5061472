import Timekeeping

/// The parts of an item that are not its content, in item times, and the conversion to *content times*, which leave
/// them out. Readers see content times; a player receives item times.
public struct AdTimeRanges: Hashable, Sendable {
  /// The ranges in item time, in order and apart from each other.
  public let ranges: [Range<MediaTime>]

  /// No ranges: item times are content times.
  public static let none = AdTimeRanges([])

  /// Creates the ranges of an item.
  ///
  /// - Parameter ranges: in any order; ranges that overlap or touch become one, empty ones are left out.
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

  /// Returns the content time of an item time. Inside a range it is constant: the position at which the content
  /// continues.
  public func contentTime(ofItemTime itemTime: MediaTime) -> MediaTime {
    ranges.reduce(itemTime) { time, range in
      guard itemTime > range.lowerBound else { return time }
      return time - (min(itemTime, range.upperBound) - range.lowerBound)
    }
  }

  /// Returns the item time of a content time. At an interruption of the content, it is the end of the interruption.
  public func itemTime(ofContentTime contentTime: MediaTime) -> MediaTime {
    ranges.reduce(contentTime) { time, range in
      time >= range.lowerBound ? time + (range.upperBound - range.lowerBound) : time
    }
  }

  /// Returns whether a range contains this position.
  public func contains(_ itemTime: MediaTime) -> Bool { ranges.contains { $0.contains(itemTime) } }

  /// Returns the next beginning or end of a range after a position.
  func boundary(after itemTime: MediaTime) -> MediaTime? {
    ranges.lazy.flatMap { [$0.lowerBound, $0.upperBound] }.first { $0 > itemTime }
  }
}
