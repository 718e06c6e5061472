import Testing
import Timekeeping

@testable import TerminalVideo

@Suite("Pacing and quality")
struct FramePacerTests {
  private func at(_ milliseconds: Int64) -> HostTime {
    HostTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("at most two frames are unanswered")
  func limit() {
    var pacer = FramePacer()
    for time in [0, 40] as [Int64] {
      do {
        let isAllowed = pacer.maySend(at: at(time))
        #expect(isAllowed)
      }
      pacer.sent(at: at(time))
    }
    do {
      let isAllowed = pacer.maySend(at: at(80))
      #expect(!isAllowed)
    }
    pacer.answered(at: at(100))
    #expect(pacer.roundTrip == .milliseconds(100))
    do {
      let isAllowed = pacer.maySend(at: at(120))
      #expect(isAllowed)
    }
  }

  @Test("on a slower link at most one frame is unanswered")
  func slow() {
    var pacer = FramePacer()
    pacer.sent(at: at(0))
    pacer.answered(at: at(700))
    pacer.sent(at: at(700))
    let isAllowed = pacer.maySend(at: at(740))
    #expect(!isAllowed)
    pacer.answered(at: at(900))
    pacer.sent(at: at(900))
    let isAllowedAgain = pacer.maySend(at: at(940))
    #expect(isAllowedAgain)
  }

  @Test("a terminal that never answers gets all frames")
  func silent() {
    var pacer = FramePacer()
    pacer.sent(at: at(0))
    pacer.sent(at: at(40))
    do {
      let isAllowed = pacer.maySend(at: at(900))
      #expect(!isAllowed)
    }
    do {
      let isAllowed = pacer.maySend(at: at(1001))
      #expect(isAllowed)
    }
    #expect(pacer.isUnanswered)
    for time in stride(from: Int64(1001), to: 2000, by: 40) {
      do {
        let isAllowed = pacer.maySend(at: at(time))
        #expect(isAllowed)
      }
      pacer.sent(at: at(time))
    }
  }

  @Test("a terminal that stops answering gets a frame a second until it answers again")
  func away() {
    var pacer = FramePacer()
    pacer.sent(at: at(0))
    pacer.answered(at: at(1))
    pacer.sent(at: at(40))
    pacer.sent(at: at(80))
    do {
      let isAllowed = pacer.maySend(at: at(1000))
      #expect(!isAllowed)
    }
    do {
      let isAllowed = pacer.maySend(at: at(1040))
      #expect(isAllowed)
    }
    pacer.sent(at: at(1040))
    do {
      let isAllowed = pacer.maySend(at: at(1050))
      #expect(!isAllowed)
    }
    #expect(!pacer.isUnanswered)
    pacer.answered(at: at(3000))
    do {
      let isAllowed = pacer.maySend(at: at(3000))
      #expect(isAllowed)
    }
  }

  @Test(
    "a slow link gets a coarser picture, then fewer colours, and recovers after five seconds"
  )
  func ladder() {
    var ladder = QualityLadder(best: PictureQuality(blocks: .quadrants, tolerance: 0))
    var seen = [ladder.quality]
    for time in stride(from: Int64(0), to: 5000, by: 100) {
      ladder.observe(.milliseconds(300), at: at(time))
      if ladder.quality != seen.last { seen.append(ladder.quality) }
    }
    #expect(seen.map(\.colors) == [.direct, .direct, .direct, .direct, .indexed])
    #expect(seen.map(\.tolerance) == [0, 6, 12, 18, 6])
    #expect(seen.dropFirst().allSatisfy { $0.blocks == .halves })
    let steps = ladder.step
    #expect(ladder.isLowered)
    for time in stride(from: Int64(5000), to: 9900, by: 100) {
      ladder.observe(.milliseconds(20), at: at(time))
    }
    #expect(ladder.step == steps)
    for time in stride(from: Int64(10_000), to: 60_000, by: 100) {
      ladder.observe(.milliseconds(20), at: at(time))
    }
    #expect(ladder.quality == ladder.best && !ladder.isLowered)
  }

  @Test("a link that is far too slow gets the smallest picture at once")
  func hopeless() {
    var ladder = QualityLadder(best: PictureQuality())
    ladder.observe(.milliseconds(1100), at: at(0))
    #expect(ladder.step == 0)
    ladder.observe(.milliseconds(1100), at: at(1000))
    #expect(ladder.quality.colors == .indexed)
  }

  @Test("pixels that take long to make become fewer, and later more again")
  func heavy() {
    var ladder = QualityLadder(best: PictureQuality(blocks: .pixels, pixelLimit: 1920 * 1080))
    for time in stride(from: Int64(0), to: 600, by: 40) {
      ladder.observe(.milliseconds(2), work: .milliseconds(38), at: at(time))
    }
    #expect(ladder.quality.blocks == .pixels)
    #expect(ladder.quality.pixelLimit == 960 * 540)
    for time in stride(from: Int64(640), to: 8000, by: 40) {
      ladder.observe(.milliseconds(2), work: .milliseconds(12), at: at(time))
    }
    #expect(ladder.quality == ladder.best)
    // The time for cells doesn't matter.
    var cells = QualityLadder(best: PictureQuality())
    for time in stride(from: Int64(0), to: 5000, by: 40) {
      cells.observe(.milliseconds(2), work: .milliseconds(38), at: at(time))
    }
    #expect(cells.quality == cells.best)
  }

  @Test(
    "a link too slow for pixels gets cells within a second, and pixels less and less often")
  func pixelsOnASlowLink() {
    var ladder = QualityLadder(best: PictureQuality(blocks: .pixels))
    var tries: [Int64] = []
    for time in stride(from: Int64(0), to: 120_000, by: 100) {
      let before = ladder.quality.blocks
      ladder.observe(.milliseconds(before == .pixels ? 900 : 30), at: at(time))
      if before != .pixels, ladder.quality.blocks == .pixels { tries.append(time) }
      if time == 1000 { #expect(ladder.quality.blocks == .quadrants) }
    }
    let pauses = zip(tries.dropFirst(), tries).map { $0 - $1 }
    #expect(tries.count <= 5)
    #expect(pauses == pauses.sorted() && pauses.last ?? 0 > 3 * (pauses.first ?? 0), "\(pauses)")
    #expect(ladder.quality.colors == .direct, "cells do")
  }

  @Test(
    "a network of unknown speed shows pixels once cells have been fast, and never if they aren't")
  func beginsWithCells() {
    let links: [(Int64, PictureQuality.Blocks)] = [(40, .pixels), (250, .halves)]
    for (roundTrip, blocks) in links {
      var ladder = QualityLadder(best: PictureQuality(blocks: .pixels), beginsWithCells: true)
      #expect(ladder.quality.blocks == .quadrants && ladder.quality.colors == .direct)
      for time in stride(from: Int64(0), to: 4900, by: 100) {
        ladder.observe(.milliseconds(roundTrip), at: at(time))
        #expect(ladder.quality.blocks != .pixels)
      }
      for time in stride(from: Int64(4900), to: 6000, by: 100) {
        ladder.observe(.milliseconds(roundTrip), at: at(time))
      }
      #expect(ladder.quality.blocks == blocks)
    }
  }

  @Test(
    "a still picture becomes better after a second, step by step, and later where it takes too long"
  )
  func still() {
    func slowed() -> QualityLadder {
      var ladder = QualityLadder(best: PictureQuality())
      for time in [Int64(0), 1000] { ladder.observe(.milliseconds(1100), at: at(time)) }
      return ladder
    }
    var ladder = slowed()
    #expect(ladder.quality.colors == .indexed)
    var steps = 0
    // Earlier round trips don't count, and one over half the world isn't much.
    for (time, roundTrip) in [
      (Int64(60_000), nil), (61_000, nil), (62_000, Duration.milliseconds(400)),
    ] {
      guard ladder.trialDelay != nil else { break }
      #expect(ladder.trialDelay == .seconds(1))
      let isRaised = ladder.raise(after: roundTrip, at: at(time))
      #expect(isRaised)
      // The time of the last moving frame, which is still the last that is known.
      ladder.observe(.milliseconds(1100), at: at(time))
      steps += 1
    }
    #expect(ladder.quality == ladder.best && ladder.trialDelay == nil && steps == 3)
    let isRaised = ladder.raise(after: nil, at: at(70_000))
    #expect(!isRaised)

    var hopeless = slowed()
    for delay in [1, 10, 20, 40, 80, 160, 160] {
      #expect(hopeless.trialDelay == .seconds(delay))
      let isRaised = hopeless.raise(after: .milliseconds(700), at: at(60_000))
      #expect(!isRaised)
    }
  }

  @Test("one late frame changes nothing")
  func hiccup() {
    var ladder = QualityLadder(best: PictureQuality())
    for time in stride(from: Int64(0), to: 5000, by: 40) {
      ladder.observe(.milliseconds(time == 2000 ? 900 : 5), at: at(time))
    }
    #expect(ladder.step == 0)
  }
}
