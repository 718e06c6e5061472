import Concurrency
import Testing
import Timekeeping

/// A machine that boils after a minute on the stove, and then whistles.
private struct Kettle: HostedMachine {
  enum Action: Hashable { case whistle }

  private(set) var nextDeadline: HostTime?
  private(set) var calls = 0

  mutating func putOn(at now: HostTime, for duration: Duration = .seconds(60)) -> [Action] {
    nextDeadline = now + duration
    return []
  }

  mutating func takeOff() -> [Action] {
    nextDeadline = nil
    return []
  }

  mutating func timerFired(at now: HostTime) -> [Action] {
    calls += 1
    guard let due = nextDeadline, due <= now else { return [] }
    nextDeadline = nil
    return [.whistle]
  }
}

@Suite("A machine in its host") struct MachineHostTests {
  private let start = HostTime(nanoseconds: 1_000_000_000)

  /// A kettle and its host.
  private struct Stove {
    var machine = Kettle()
    var host = MachineHost<Kettle>()

    mutating func setAlarm() -> AlarmSetting.Change? { host.setAlarm(for: machine) }

    mutating func alarmRang(_ number: Int, at now: HostTime) -> [Kettle.Action]? {
      host.alarmRang(number, for: &machine, at: now)
    }
  }

  private func stove(on duration: Duration) -> Stove {
    var stove = Stove()
    _ = stove.machine.putOn(at: start, for: duration)
    return stove
  }

  @Test("The alarm is set for the machine's next deadline")
  func set() {
    var stove = self.stove(on: .seconds(60))
    let change = stove.setAlarm()
    #expect(change == .set(due: start + .seconds(60), number: 1))
    #expect(stove.host.alarmDue == start + .seconds(60))
  }

  @Test("An event that leaves the deadline as it is leaves the alarm as it is")
  func kept() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.setAlarm()
    let change = stove.setAlarm()
    #expect(change == nil)
  }

  @Test("An earlier deadline replaces the alarm")
  func earlier() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.setAlarm()
    _ = stove.machine.putOn(at: start, for: .seconds(10))
    let change = stove.setAlarm()
    #expect(change == .set(due: start + .seconds(10), number: 2))
  }

  @Test("A later deadline keeps the alarm, whose early call changes nothing and sets the next one")
  func later() throws {
    var stove = self.stove(on: .seconds(10))
    _ = stove.setAlarm()
    _ = stove.machine.putOn(at: start, for: .seconds(60))
    let kept = stove.setAlarm()
    #expect(kept == nil)
    let early = stove.alarmRang(1, at: start + .seconds(10))
    #expect(early == [])
    let next = stove.setAlarm()
    #expect(next == .set(due: start + .seconds(60), number: 2))
    let due = stove.alarmRang(2, at: start + .seconds(60))
    #expect(due == [.whistle])
    let after = stove.setAlarm()
    #expect(after == nil, "nothing is left to be done")
  }

  @Test("Without a deadline the alarm is cancelled once")
  func cancelled() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.setAlarm()
    _ = stove.machine.takeOff()
    let first = stove.setAlarm()
    #expect(first == .cancel)
    let second = stove.setAlarm()
    #expect(second == nil)
  }

  @Test("An alarm that was replaced or cancelled while it rang doesn't reach the machine")
  func stale() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.setAlarm()
    _ = stove.machine.putOn(at: start, for: .seconds(10))
    _ = stove.setAlarm()
    let replaced = stove.alarmRang(1, at: start + .seconds(60))
    #expect(replaced == nil)
    #expect(stove.host.alarmDue == start + .seconds(10), "the alarm that replaced it stays")
    _ = stove.host.cancelAlarm()
    let cancelled = stove.alarmRang(2, at: start + .seconds(60))
    #expect(cancelled == nil)
    #expect(stove.machine.calls == 0)
  }

  @Test("An alarm rings once")
  func once() {
    var stove = self.stove(on: .seconds(10))
    _ = stove.setAlarm()
    let first = stove.alarmRang(1, at: start + .seconds(10))
    let second = stove.alarmRang(1, at: start + .seconds(10))
    #expect(first == [.whistle])
    #expect(second == nil)
  }

  @Test("The deadlines of an event bring the alarm forward and never put it off")
  func broughtForward() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.setAlarm()
    let later = stove.host.bringAlarmForward(to: start + .seconds(90))
    #expect(later == nil)
    let none = stove.host.bringAlarmForward(to: nil)
    #expect(none == nil)
    let earlier = stove.host.bringAlarmForward(to: start + .seconds(5))
    #expect(earlier == .set(due: start + .seconds(5), number: 2))
  }

  @Test("Deadlines on another timeline are converted by the newest relation of the two")
  func converted() {
    var stove = self.stove(on: .seconds(60))
    _ = stove.host.setAlarm(for: stove.machine) { $0 + .seconds(5) }
    #expect(stove.host.alarmDue == start + .seconds(65))
    let moved = stove.host.setAlarm(for: stove.machine) { $0 + .seconds(2) }
    #expect(moved == .set(due: start + .seconds(62), number: 2))
  }
}

@Suite("The alarm of an actor") struct AlarmTests {
  /// Sleeps that a test ends, by due time.
  private final class Sleeps: Sendable {
    let first = OneShot<Void>()
    let second = OneShot<Void>()

    func sleep(until due: HostTime) async throws {
      let end = due == HostTime(nanoseconds: 1) ? first : second
      guard await end.value() != nil else { throw CancellationError() }
    }
  }

  @Test("The alarm calls with its number when its sleep ends")
  func rings() async {
    let sleeps = Sleeps()
    let alarm = Alarm(sleep: sleeps.sleep)
    let rang = OneShot<Int>()
    alarm.perform(.set(due: HostTime(nanoseconds: 1), number: 7)) { rang.fulfil($0) }
    sleeps.first.fulfil(())
    #expect(await rang.value() == 7)
  }

  @Test("An alarm that was replaced doesn't call")
  func replaced() async {
    let sleeps = Sleeps()
    let alarm = Alarm(sleep: sleeps.sleep)
    let rang = OneShot<Int>()
    alarm.perform(.set(due: HostTime(nanoseconds: 1), number: 1)) { rang.fulfil($0) }
    alarm.perform(.set(due: HostTime(nanoseconds: 2), number: 2)) { rang.fulfil($0) }
    sleeps.first.fulfil(())
    sleeps.second.fulfil(())
    #expect(await rang.value() == 2)
  }

  @Test("An alarm ends with its owner")
  func ends() async {
    let ended = OneShot<Bool>()
    var alarm: Alarm? = Alarm { _ in
      let never = OneShot<Void>()
      ended.fulfil(await never.value() == nil)
      throw CancellationError()
    }
    alarm?.perform(.set(due: HostTime(nanoseconds: 1), number: 1)) { _ in }
    alarm = nil
    #expect(await ended.value() == true)
  }
}
