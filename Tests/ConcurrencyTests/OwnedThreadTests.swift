import Concurrency
import Foundation
import Testing
import Timekeeping

@Suite("Threads of our own") struct OwnedThreadTests {
  @Test("A blocking call gets a thread with its name, and its value comes back")
  func run() async throws {
    let name = await OwnedThread.run("kettle") {
      (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
    }
    #expect(name == "kettle\n")
  }

  @Test("A call that takes too long continues without its caller")
  func tooLong() async {
    let (clock, gate, ended) = (ManualClock(), ThreadFlag(), OneShot<Void>())
    async let value = OwnedThread.run("slow", atMost: .seconds(5), clock: clock) {
      gate.wait()
      ended.fulfil(())
      return 1
    }
    await clock.waitForSleeper()
    clock.advance(by: .seconds(5))
    #expect(await value == nil)
    gate.set()
    await ended.certainValue()
  }

  @Test("A call within the limit returns its value")
  func inTime() async {
    let value = await OwnedThread.run("fast", atMost: .seconds(5), clock: ManualClock()) { 1 }
    #expect(value == 1)
  }

  @Test("A flag wakes all threads that wait, and later ones don't wait")
  func flag() async {
    let flag = ThreadFlag()
    #expect(!flag.isSet)
    flag.wait(atMost: .zero)
    #expect(!flag.isSet)
    async let first: Void = OwnedThread.run("first") { flag.wait() }
    async let second: Void = OwnedThread.run("second") { flag.wait(atMost: .seconds(600)) }
    flag.set()
    flag.set()
    _ = await (first, second)
    flag.wait()
    #expect(flag.isSet)
  }
}
