import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("mpv's events around a start")
struct WaitingEventsTests {
  private func at(_ milliseconds: Int) -> HostTime {
    HostTime(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  private func event(_ event: MPVEvent, at milliseconds: Int) -> StampedEvent {
    StampedEvent(event: event, hostTime: at(milliseconds))
  }

  @Test("Usually none waits")
  func usually() {
    var events = WaitingEvents()
    #expect(events.patience(at: at(1)) == nil)
    events.received(event(.seek, at: 1))
    #expect(events.patience(at: at(1)) == .zero)
    #expect(events.released(at: at(1)).map(\.hostTime) == [at(1)])
    #expect(events.released(at: at(1)).isEmpty)
  }

  @Test("From a start on they wait for 20 ms, and keep their order and their times")
  func start() {
    var events = WaitingEvents()
    events.began(at: at(100))
    events.received(event(.seek, at: 101))
    events.received(event(.playbackRestart, at: 119))
    #expect(events.released(at: at(119)).isEmpty)
    #expect(events.patience(at: at(119)) == .milliseconds(1))
    let released = events.released(at: at(120))
    #expect(released.map(\.event) == [.seek, .playbackRestart])
    #expect(released.map(\.hostTime) == [at(101), at(119)])
    // The next one doesn't wait.
    events.received(event(.seek, at: 121))
    #expect(events.released(at: at(121)).count == 1)
  }

  @Test("The end of the core lets all of them go")
  func shutdown() {
    var events = WaitingEvents()
    events.began(at: at(100))
    events.received(event(.seek, at: 101))
    events.received(event(.shutdown, at: 102))
    #expect(events.released(at: at(102)).map(\.event) == [.seek, .shutdown])
  }
}

extension RealPlayerTests {
  @Suite("A start, until its sound is out")
  struct UndisturbedStartTests {
    @Test("The player hears of it only afterwards")
    func afterwards() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.play(from: 5.0, at: .now())
        for _ in 0..<5 {
          _ = await test.pause()
          await test.forgetEvents()
          let instant = HostTime.now() + .milliseconds(100)
          async let started = test.play(from: 5.0, at: instant)
          let latency = await test.player.startLatency
          let heardAt = await test.event { event -> HostTime? in
            event == .pausedChanged(false) ? .now() : nil
          }
          _ = await started
          let heard = try #require(heardAt)
          #expect(heard >= instant - latency + WaitingEvents.period)
        }
      }
    }
  }
}
