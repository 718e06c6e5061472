import Glibc
import Testing

@testable import MPVPlayer

@Suite("A short buffer where sound has real-time threads")
struct RealtimePriorityTests {
  @Test("Without real-time threads PipeWire's buffer is long, or blocks of sound would be missing")
  func long() {
    let options = MPVConfiguration.pipeWireBuffer(
      RealtimePriority(isAllowed: false, hasRealtimeKit: false))
    #expect(options == [.init(name: "pipewire-buffer", value: "100", isOptional: true)])
  }

  @Test(
    "With them it is mpv's own, so that a start is heard when it is due",
    arguments: [
      RealtimePriority(isAllowed: true, hasRealtimeKit: false),
      RealtimePriority(isAllowed: false, hasRealtimeKit: true),
    ])
  func short(priority: RealtimePriority) {
    #expect(MPVConfiguration.pipeWireBuffer(priority).isEmpty)
  }

  @Test("Trying it out leaves the thread as it was")
  func triedOut() {
    let before = sched_getscheduler(0)
    _ = RealtimePriority.current()
    #expect(sched_getscheduler(0) == before)
  }
}
