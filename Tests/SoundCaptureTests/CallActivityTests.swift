import Testing
import Timekeeping

@testable import SoundCapture

@Suite("The time for which calls are audible")
struct CallActivityTests {
  private let start = HostTime(nanoseconds: 1_000_000_000)

  @Test("A call is audible from its first loud peak until the hold is over")
  func hold() {
    var activity = CallActivity()
    #expect(!activity.isAudible(at: start))
    activity.peakReceived(0.5, from: 7, at: start)
    #expect(activity.isAudible(at: start))
    #expect(activity.isAudible(at: start + .milliseconds(399)))
    #expect(!activity.isAudible(at: start + .milliseconds(400)))
  }

  @Test(
    "Noise below −40 dB, silence and numbers that aren't are no sound",
    arguments: [0, 0.0099, -1, .nan] as [Float])
  func quiet(peak: Float) {
    var activity = CallActivity()
    activity.peakReceived(peak, from: 7, at: start)
    #expect(!activity.isAudible(at: start))
  }

  @Test("Pauses between words don't end the call, and silence doesn't extend the hold")
  func pauses() {
    var activity = CallActivity()
    for milliseconds in stride(from: 0, to: 3000, by: 5) {
      let isWord = milliseconds % 600 < 250
      let time = start + .milliseconds(milliseconds)
      activity.peakReceived(isWord ? 0.2 : 0.001, from: 7, at: time)
      #expect(activity.isAudible(at: time), "\(milliseconds) ms")
    }
    #expect(!activity.isAudible(at: start + .milliseconds(2645 + 400)))
  }

  @Test("A stream that disappears ends its own hold, and no other's")
  func disappearance() {
    var activity = CallActivity()
    activity.peakReceived(0.5, from: 7, at: start)
    activity.peakReceived(0.5, from: 8, at: start)
    activity.streamsListed { $0 == 8 }
    #expect(activity.isAudible(at: start))
    activity.streamsListed { _ in false }
    #expect(!activity.isAudible(at: start))
  }
}
