import Timekeeping

/// The parts of an item that are not its main content: advertisements stitched into a stream, which are
/// of another length for each viewer.
///
/// The group's times are *content times*, which leave them out, so that two viewers with different
/// advertisements are in one scene. The player's times are item times. While its player is inside of one a
/// program suspends for `playingInterstitial`; ending that brings it to where the others are.
///
/// A live stream has an ``origin`` too: each viewer's player counts from another moment, and the content
/// times are dates.
///
/// Mirrors what `playbackCoordinator(_:interstitialTimeRangesFor:)` returns in AVFoundation.
public struct InterstitialTimeRanges: Hashable, Sendable {
  /// In order, apart from each other.
  public let ranges: [Range<MediaTime>]
  /// The content time of item time zero, before ranges are left out.
  public let origin: MediaTime

  public static let none = InterstitialTimeRanges([])

  /// - Parameters:
  ///   - ranges: item times, in any order; those that overlap or touch become one, empty ones are left out.
  ///   - origin: for a live stream the date of item time zero, in time since 1970, else zero.
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

  /// Inside of a range time stands still: it is where the content goes on afterwards.
  public func contentTime(ofItemTime itemTime: MediaTime) -> MediaTime {
    let content = ranges.reduce(itemTime) { time, range in
      guard itemTime > range.lowerBound else { return time }
      return time - (min(itemTime, range.upperBound) - range.lowerBound)
    }
    return content + (origin - .zero)
  }

  /// At a place where the content is interrupted, the end of the interruption.
  public func itemTime(ofContentTime contentTime: MediaTime) -> MediaTime {
    ranges.reduce(contentTime - (origin - .zero)) { time, range in
      time >= range.lowerBound ? time + (range.upperBound - range.lowerBound) : time
    }
  }

  /// The range that `itemTime` is in.
  public func range(at itemTime: MediaTime) -> Range<MediaTime>? {
    ranges.first { $0.contains(itemTime) }
  }
}
