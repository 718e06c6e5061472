import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The due times of frames") struct FrameClockTests {
  /// Hands frames over as mpv does: in time for the output, and not earlier than 50 ms before they are due.
  private struct Output {
    var clock = FrameClock()
    var speed = 1.0
    private(set) var itemTime = 0.0
    private(set) var due = 100.0
    private var dues: [Double] = []
    /// A frame is planned when the one before is handed over.
    private var plannedSpeed = 1.0

    /// Hands the next frame over.
    ///
    /// - Parameter late: the additional delay, in seconds.
    mutating func show(frame: Double, late: Double = 0) {
      itemTime += frame
      due += frame / (dues.isEmpty ? speed : plannedSpeed)
      plannedSpeed = speed
      dues.append(due)
      let (one, two) = (dues.suffix(2).first!, dues.suffix(3).first!)
      let handedOver = due - two <= 0.0501 ? two : max(one, due - 0.05)
      clock.handedOver(
        MediaTime(seconds: itemTime),
        at: HostTime(nanoseconds: Int64((handedOver + 0.0005 + late) * 1e9)), speed: speed)
    }

    /// The error of the clock's due time for the last frame, in milliseconds; above zero if the clock is late.
    var error: Double {
      clock.reading.map { Double($0.due.nanoseconds) / 1e6 - due * 1e3 } ?? .infinity
    }
  }

  @Test(
    "Frames of one duration have exact due times",
    arguments: [24 / 1.001, 25, 30, 40, 48, 50, 60, 10, 120],
    [1, 0.8, 1.25, 1.6, 2])
  func constant(framesPerSecond: Double, speed: Double) {
    var output = Output()
    output.speed = speed
    for _ in 0..<20 { output.show(frame: 1 / framesPerSecond) }
    #expect(abs(output.error) < 0.3)
  }

  @Test("Frames of 20 to 120 ms have exact due times", arguments: UInt64(1)...20)
  func variable(seed: UInt64) {
    var state = seed
    var output = Output()
    for _ in 0..<100 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      output.show(frame: 0.02 + Double(state >> 33) / Double(1 << 31) * 0.1)
      if output.clock.reading?.count ?? 0 > 3 { #expect(abs(output.error) < 0.3) }
    }
  }

  @Test("A few late or early frames have no effect")
  func outliers() {
    var output = Output()
    for index in 0..<60 {
      output.show(frame: 0.04, late: index % 4 == 1 ? 0.02 : index % 7 == 2 ? -0.012 : 0)
      if index > 12 { #expect(abs(output.error) < 0.3) }
    }
  }

  @Test("A change of the speed counts from the next frame on")
  func speedChange() {
    var output = Output()
    for index in 0..<60 {
      if index % 10 == 0 { output.speed = index % 20 == 0 ? 1 : 1.05 }
      output.show(frame: 0.04)
      if index > 12 { #expect(abs(output.error) < 0.3) }
    }
  }

  @Test("The clock reports how much frames scatter, and begins again elsewhere")
  func doubt() {
    var output = Output()
    for index in 0..<30 { output.show(frame: 0.04, late: Double(index % 5) * 0.004) }
    #expect(output.clock.reading.map { $0.spread > .milliseconds(3) } == true)
    output.clock.handedOver(1.0, at: HostTime(nanoseconds: 200_000_000_000), speed: 1)
    #expect(output.clock.reading == nil)
    #expect(output.clock.longestFrame == .zero)
  }
}
