import Concurrency
import Testing
import Timekeeping

@Suite("Waiting once") struct OneShotTests {
  @Test("The value reaches a task that waits, and one that comes later")
  func arrives() async {
    let shot = OneShot<Int>()
    async let early = shot.value()
    shot.fulfil(1)
    #expect(await early == 1)
    #expect(await shot.value() == 1)
    #expect(shot.current == 1)
  }

  @Test("The first value counts")
  func first() async {
    let shot = OneShot<Int>()
    shot.fulfil(1)
    shot.fulfil(2)
    #expect(await shot.value() == 1)
  }

  @Test("A value may be nil")
  func optional() async {
    let shot = OneShot<Int?>()
    shot.fulfil(nil)
    shot.fulfil(1)
    let value = await shot.value()
    #expect(value == .some(nil))
  }

  @Test("All tasks that wait get the value")
  func everyone() async {
    let shot = OneShot<Int>()
    let sum = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { await shot.value() } }
      shot.fulfil(3)
      return await group.reduce(0) { $0 + ($1 ?? 0) }
    }
    #expect(sum == 60)
  }

  @Test("A cancelled task stops waiting, and the others go on")
  func cancelled() async {
    let shot = OneShot<Int>()
    let task = Task { await shot.value() }
    let other = Task { await shot.value() }
    task.cancel()
    #expect(await task.value == nil)
    shot.fulfil(1)
    #expect(await other.value == 1)
  }

  @Test("A task that was cancelled before doesn't wait")
  func cancelledBefore() async {
    let shot = OneShot<Int>()
    let gate = OneShot<Void>()
    let task = Task {
      await gate.certainValue()
      return await shot.value()
    }
    task.cancel()
    gate.fulfil(())
    #expect(await task.value == nil)
  }

  @Test("The deadline ends the wait; a value after it reaches later callers only")
  func deadline() async {
    let (shot, clock) = (OneShot<Int>(), ManualClock())
    async let value = shot.value(atMost: .seconds(3), clock: clock)
    await clock.waitForSleeper()
    clock.advance(by: .seconds(3))
    #expect(await value == nil)
    shot.fulfil(1)
    #expect(await shot.value(atMost: .seconds(3), clock: clock) == 1)
  }

  @Test("A value before the deadline ends the wait at once")
  func inTime() async {
    let (shot, clock) = (OneShot<Int>(), ManualClock())
    async let value = shot.value(atMost: .seconds(3), clock: clock)
    await clock.waitForSleeper()
    clock.advance(by: .seconds(2))
    shot.fulfil(1)
    #expect(await value == 1)
  }

  @Test("A wait with a deadline continues in a cancelled task, whose cleaning up needs it")
  func despite() async {
    let (shot, clock) = (OneShot<Int>(), ManualClock())
    let task = Task { await shot.value(atMost: .seconds(3), clock: clock) }
    task.cancel()
    await clock.waitForSleeper()
    shot.fulfil(1)
    #expect(await task.value == 1)
  }
}
