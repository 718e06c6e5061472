import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Readings of the position")
struct ReadingTimesTests {
  private func likeBest(_ microseconds: [Int], in times: inout ReadingTimes) -> [Bool] {
    microseconds.map { times.isLikeBest(.microseconds($0)) }
  }

  @Test("One that took about as long as the quickest of late is as exact as another would be")
  func likeBest() {
    var times = ReadingTimes()
    #expect(likeBest([300, 310, 200, 290, 350], in: &times) == [false, true, true, true, false])
  }

  @Test("Those of an output that becomes slower are soon compared with one another")
  func slower() {
    var times = ReadingTimes()
    #expect(likeBest([200, 600], in: &times) == [false, false])
    let later = likeBest(Array(repeating: 600, count: 60), in: &times)
    #expect(!later[20] && later.suffix(20).allSatisfy(\.self))
    #expect(likeBest([150, 600], in: &times) == [true, false])
  }

  @Test("A measurement that is one of many accepts such a reading, a single one only an exact one")
  func oneOfMany() {
    var delays = PlaybackDelays()
    func isExact(_ microseconds: Int, isOneOfMany: Bool) -> Bool {
      delays.isExact(.microseconds(microseconds), isOneOfMany: isOneOfMany)
    }
    let exact = [
      isExact(300, isOneOfMany: true), isExact(300, isOneOfMany: true),
      isExact(300, isOneOfMany: false), isExact(150, isOneOfMany: false),
    ]
    #expect(exact == [false, true, false, true])
  }

  @Test("Only a change of speed whose jump is larger than their errors is measured")
  func measuredChange() {
    #expect(!PlaybackDelays.showsBufferedSound(from: 1.00001, to: 0.998))
    #expect(PlaybackDelays.showsBufferedSound(from: 1, to: 1.25))
  }
}
