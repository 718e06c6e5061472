import Concurrency
import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Learning latencies") struct LearnedLatenciesTests {
  @Test("The first measurement counts in full, later ones by half, and none beyond the bounds")
  func latency() {
    var latency = Latency(initial: .milliseconds(1), bounds: .zero ... .milliseconds(100))
    latency.record(.milliseconds(40))
    #expect(latency.value == .milliseconds(40))
    latency.record(.milliseconds(60))
    #expect(latency.value == .milliseconds(50))
    latency.record(.seconds(5))
    #expect(latency.value == .milliseconds(100))
  }

  @Test("A seek is predicted to take a little longer than the seeks before")
  func seekCost() {
    var cost = SeekCost()
    for _ in 0..<40 { cost.record(.milliseconds(40)) }
    #expect(cost.prediction >= .milliseconds(45) && cost.prediction < .milliseconds(60))
    cost.wasTooShort()
    cost.wasTooShort()
    #expect(cost.prediction > .milliseconds(160))
    for _ in 0..<100 { cost.wasTooShort() }
    #expect(cost.prediction <= .seconds(10))
    cost.wasEnough()
    #expect(cost.prediction < .milliseconds(60))
  }

  @Test("A start on an overloaded machine is not learnt from")
  func overload() {
    var latencies = LearnedLatencies()
    let before = latencies.audioStart.value
    func start(error: Duration) {
      latencies.learnStart(allowed: .milliseconds(1), error: error, rate: 1, source: .audio)
    }
    start(error: .milliseconds(-400))
    #expect(latencies.audioStart.value == before)
    start(error: .milliseconds(-900))
    #expect(latencies.audioStart.value == before)
    start(error: .milliseconds(-5))
    #expect(latencies.audioStart.value == .milliseconds(6))
    start(error: .milliseconds(-900))
    #expect(latencies.audioStart.value == .milliseconds(6))
  }

  @Test(
    "A speaker whose buffers take 200 ms is believed at its second start, and so is the next speaker"
  )
  func slowOutput() {
    var latencies = LearnedLatencies()
    func start(latency: Double) {
      let allowed = latencies.audioStart.value
      latencies.learnStart(
        allowed: allowed, error: (allowed - .milliseconds(latency)), rate: 1, source: .audio)
    }
    for _ in 0..<9 { start(latency: 2) }
    start(latency: 211)
    #expect(latencies.audioStart.value == .milliseconds(2))
    start(latency: 240)
    #expect(latencies.audioStart.value == .milliseconds(211))
    start(latency: 205)
    #expect(latencies.audioStart.value == .milliseconds(211))
    start(latency: 2)
    #expect(latencies.audioStart.value == .milliseconds(211))
    start(latency: 4)
    #expect(latencies.audioStart.value == .milliseconds(2))
  }

  @Test("After a start that came 5 ms late the next is made 5 ms earlier")
  func start() {
    var latencies = LearnedLatencies()
    latencies.learnStart(
      allowed: .milliseconds(1), error: .milliseconds(-10), rate: 2, source: .audio)
    #expect(latencies.audioStart.value == .milliseconds(6))
  }
}

@Suite("The small parts") struct SmallPartsTests {
  @Test("audio-pts is corrected while sound of the old speed is still heard")
  func speedChanges() {
    var changes = SpeedChanges()
    let time = HostTime(nanoseconds: 0)
    changes.record(from: 1, to: 1.5, at: time, buffered: .milliseconds(400))
    #expect(changes.correction(at: time) == .milliseconds(200))
    #expect(changes.correction(at: time + .milliseconds(200)) == .milliseconds(100))
    #expect(changes.correction(at: time + .milliseconds(400)) == .zero)
    changes.record(from: 1.5, to: 1, at: time + .milliseconds(200), buffered: .milliseconds(400))
    #expect(changes.correction(at: time + .milliseconds(300)) == .milliseconds(50 - 150))
    changes.forget()
    #expect(changes.correction(at: time) == .zero)
  }

  @Test("A position knows its distance ahead of a line")
  func syncError() {
    let line = PlaybackLine(rate: 2, itemTime: 10.0, hostTime: HostTime(nanoseconds: 0))
    let position = PlayerPosition(
      itemTime: 12.005, hostTime: HostTime(nanoseconds: 1_000_000_000), rate: 2,
      uncertainty: .zero, source: .audio)
    #expect(position.syncError(against: line) == .milliseconds(5))
    #expect(line.hostTime(atItemTime: 12.0) == HostTime(nanoseconds: 1_000_000_000))
  }

  @Test("Values survive the conversion into an mpv_node and back")
  func nodes() {
    let value = MPVValue.map([
      "a": .array([.integer(-3), .double(0.5), .flag(true), .none]), "b": .string("Grüße"),
      "c": .map([:]), "d": .array([]),
    ])
    #expect(value.withNode { MPVValue($0.pointee) } == value)
  }

  @Test(
    "A network error is reported as text for the user",
    arguments: [
      ("http: HTTP error 404 Not Found", MPVError.Reason.refusedByServer(status: 404)),
      (
        "tcp: Connection to tcp://127.0.0.1:1 failed: Connection refused",
        .unreachable("tcp: Connection to tcp://127.0.0.1:1 failed: Connection refused")
      ),
    ])
  func diagnosis(line: String, reason: MPVError.Reason) {
    #expect(
      LoadDiagnosis.reason(
        location: "http://127.0.0.1/x", reach: .everything, code: -13, errors: [line, "Failed."])
        == reason)
  }

  @Test(
    "A display on this machine is distinguished from one over the network",
    arguments: [(":0", 0), (":12.0", 12), ("unix:3", 3), ("localhost:10.0", nil), ("x", nil)])
  func display(name: String, number: Int?) {
    #expect(Display.localNumber(of: name) == number)
  }

  @Test("Times are written for mpv without any locale")
  func seconds() {
    #expect(MediaTime(nanoseconds: 1_000_000_007).secondsText == "1.000000007")
    #expect(MediaTime(nanoseconds: -500_000_000).secondsText == "-0.500000000")
  }

  @Test("Closures run at their instants in order, and not at all once cancelled")
  func deadlines() async {
    let deadlines = DeadlineThread()
    let order = Collected<[Int]>([])
    let done = OneShot<HostTime>()
    let start = HostTime.now()
    deadlines.run(at: start + .milliseconds(30)) { done.fulfil(.now()) }
    deadlines.run(at: start + .milliseconds(20)) { order.value += [2] }
    deadlines.run(at: start + .milliseconds(10)) { order.value += [1] }
    let cancelled = deadlines.run(at: start + .milliseconds(15)) { order.value += [9] }
    #expect(deadlines.cancel(cancelled))
    #expect(!deadlines.cancel(cancelled))
    let finished = await done.value()
    #expect(finished.map { $0 >= start + .milliseconds(30) } == true)
    #expect(order.value == [1, 2])
    deadlines.stop()
  }
}
