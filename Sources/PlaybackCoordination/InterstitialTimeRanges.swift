import Timekeeping

/// The parts of an item that are not its main content: advertisements inserted into a stream, with a different length
/// for each viewer.
///
/// The group's times are *content times*, which leave these parts out, so that two viewers with different
/// advertisements are in the same scene. The player's times are item times. While its player is inside a range, a
/// program suspends for `playingInterstitial`; after the suspension the player goes to the group's position.
///
/// A live stream has an ``origin`` too: each viewer's player counts from a different moment, and the content times are
/// dates.
///
/// Mirrors the return value of `playbackCoordinator(_:interstitialTimeRangesFor:)` in AVFoundation.
public struct InterstitialTimeRanges: Hashable, Sendable {
  /// The ranges in item time, in order and apart from each other.
  public let ranges: [Range<MediaTime>]
  /// The content time of item time zero, before ranges are left out.
  public let origin: MediaTime

  /// No ranges: item times are content times.
  public static let none = InterstitialTimeRanges([])

  /// Creates the ranges of an item.
  ///
  /// - Parameters:
  ///   - ranges: item times, in any order; ranges that overlap or touch become one, empty ones are left out.
  ///   - origin: for a live stream the date of item time zero, in time since 1970; otherwise zero.
  public init(_ ranges: [Range<MediaTime>], origin: MediaTime = .zero) {
    self.origin = origin
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
    let content = ranges.reduce(itemTime) { time, range in
      guard itemTime > range.lowerBound else { return time }
      return time - (min(itemTime, range.upperBound) - range.lowerBound)
    }
    return content + (origin - .zero)
  }

  /// Returns the item time of a content time. At an interruption of the content, it is the end of the interruption.
  public func itemTime(ofContentTime contentTime: MediaTime) -> MediaTime {
    ranges.reduce(contentTime - (origin - .zero)) { time, range in
      time >= range.lowerBound ? time + (range.upperBound - range.lowerBound) : time
    }
  }

  /// Returns the range that contains `itemTime`.
  public func range(at itemTime: MediaTime) -> Range<MediaTime>? {
    ranges.first { $0.contains(itemTime) }
  }
}
