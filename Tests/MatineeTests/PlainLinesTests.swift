import GroupActivities
import PlaybackCoordination
import Screening
import Testing
import Timekeeping

@testable import Faces
@testable import MatineeCommands

@Suite("The lines for a screen reader")
struct PlainLinesTests {
  private let ana = Participant(id: .init(high: 0, low: 1), name: "Ana", role: .host)
  private var context: Narrator.Context { .init(me: ana.id) }

  private func at(_ milliseconds: Int64) -> HostTime {
    HostTime(nanoseconds: milliseconds * 1_000_000)
  }

  private func seek(_ seconds: Double) -> ScreeningEvent {
    .command(
      CoordinatedChange(
        kind: .seek, originator: ana.id, itemTime: MediaTime(seconds: seconds), rate: 1), by: "Ana")
  }

  @Test("Only the last of many seeks is read")
  func seeks() {
    var plain = PlainLines()
    for step in 1...4 {
      let time = at(Int64(step) * 300)
      #expect(plain.lines(for: seek(Double(step) * 10), context, me: "Ana", at: time) == [])
    }
    #expect(plain.due == at(1200 + 1500))
    #expect(plain.settled(at: at(2699)) == [])
    #expect(plain.settled(at: at(2700)) == ["Ana went to 0:40"])
    #expect(plain.due == nil)
  }

  @Test("Another line doesn't overtake one that hasn't settled")
  func order() {
    var plain = PlainLines()
    _ = plain.lines(for: seek(10), context, me: "Ana", at: at(0))
    #expect(
      plain.lines(for: .chat(.init(ana), "there"), context, me: "Ana", at: at(100))
        == ["Ana went to 0:10", "Ana: there"])
  }

  @Test("A wait for the reader, or one that is over at once, isn't read")
  func waiting() {
    var plain = PlainLines()
    #expect(
      plain.lines(for: .waiting(for: ["Ana"], seconds: 0), context, me: "Ana", at: at(0)) == [])
    #expect(plain.due == nil)
    _ = plain.lines(for: .waiting(for: ["Ana", "Ben"], seconds: 0), context, me: "Ana", at: at(0))
    _ = plain.lines(for: .waiting(for: [], seconds: 0), context, me: "Ana", at: at(400))
    #expect(plain.due == nil)
    _ = plain.lines(for: .waiting(for: ["Ben"], seconds: 0), context, me: "Ana", at: at(1000))
    #expect(plain.settled(at: at(2000)) == ["Waiting for Ben"])
  }

  @Test("The ways to reach the party are read with the invite, and each only once")
  func reach() {
    var plain = PlainLines()
    let access = ScreeningEvent.Access(
      invite: "matinee://x", addresses: [],
      news: "Friends outside your network can't connect yet.")
    #expect(
      plain.lines(for: .reach(access), context, me: "Ana", at: at(0))
        == ["Friends outside your network can't connect yet."])
    #expect(plain.lines(for: .reach(access), context, me: "Ana", at: at(1)) == [])
  }
}
