import Testing
import Timekeeping

@testable import PlaybackCoordination

@Suite("Interstitials")
struct InterstitialTests {
  private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value) }

  /// Thirty seconds of advertisements before the film, and ten in the middle.
  private var ranges: InterstitialTimeRanges {
    InterstitialTimeRanges([seconds(100)..<seconds(110), seconds(0)..<seconds(30)])
  }

  @Test("Two viewers with different advertisements are in one scene")
  func mapping() {
    for (content, item) in [(0.0, 30.0), (10, 40), (69.9, 99.9), (70, 110), (80, 120)] {
      #expect(ranges.itemTime(ofContentTime: seconds(content)) == seconds(item))
      #expect(ranges.contentTime(ofItemTime: seconds(item)) == seconds(content))
    }
    #expect(InterstitialTimeRanges.none.itemTime(ofContentTime: seconds(7)) == seconds(7))
  }

  @Test("In a live stream the content times are dates, wherever a viewer's player counts from")
  func dates() {
    let date = seconds(1_772_362_800)
    let early = InterstitialTimeRanges([], origin: date)
    let late = InterstitialTimeRanges([], origin: date + .seconds(40))
    #expect(early.contentTime(ofItemTime: seconds(60)) == date + .seconds(60))
    #expect(late.contentTime(ofItemTime: seconds(20)) == date + .seconds(60))
    #expect(late.itemTime(ofContentTime: date + .seconds(60)) == seconds(20))
    let interrupted = InterstitialTimeRanges([seconds(10)..<seconds(15)], origin: date)
    #expect(interrupted.contentTime(ofItemTime: seconds(20)) == date + .seconds(15))
    #expect(interrupted.itemTime(ofContentTime: date + .seconds(15)) == seconds(20))
  }

  @Test("Within an advertisement the content time is constant")
  func insideAdvertisement() {
    for item in [100.0, 105, 110] {
      #expect(ranges.contentTime(ofItemTime: seconds(item)) == seconds(70))
    }
    #expect(ranges.range(at: seconds(105)) == seconds(100)..<seconds(110))
    #expect(ranges.range(at: seconds(110)) == nil)
  }

  @Test("Ranges that overlap or touch are one")
  func merging() {
    let merged = InterstitialTimeRanges([
      seconds(20)..<seconds(30), seconds(0)..<seconds(10), seconds(10)..<seconds(12),
      seconds(5)..<seconds(6), seconds(40)..<seconds(40),
    ])
    #expect(merged.ranges == [seconds(0)..<seconds(12), seconds(20)..<seconds(30)])
  }
}
