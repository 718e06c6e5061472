import ProcessTesting
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("PulseAudio's times")
  struct PulseTimesTests {
    private func with(_ body: (PlayerUnderTest, PulseServer) async throws -> Void) async throws {
      let server = try await PulseServer()
      let socket = try #require(server.environment["PULSE_SERVER"])
      let options = [
        MPVConfiguration.Option(name: "ao", value: "pulse"),
        MPVConfiguration.Option(name: "pulse-host", value: socket),
        MPVConfiguration.Option(name: "audio-device", value: "pulse/room"),
      ]
      try await PlayerUnderTest.with(Clips.film, options: options) { test in
        _ = await test.play(from: 2.0, at: .now() + .milliseconds(200))
        // The first start comes late, because the sink has up to two seconds of silence ready; a seek makes up for it.
        #expect(await test.snapshot { ($0.itemTime ?? .zero) > 5.0 })
        try await body(test, server)
      }
    }

    @Test("The sound moves evenly, whether a time is fresh from the server or not")
    func even() async throws {
      try await with { test, _ in
        #expect(PulseTimes.areRaw)
        var leads: [Duration] = []
        for _ in 0..<150 {
          // There is none while a start that came late is made up for by a seek.
          if let position = await test.player.corePosition(), position.source == .audio {
            let passed = position.hostTime - HostTime(nanoseconds: 0)
            leads.append(position.itemTime - MediaTime(seconds: 0) - passed)
          }
          _ = await test.player.sleep(
            until: .now() + .milliseconds(10), serial: test.player.transportSerial)
        }
        try #require(leads.count > 75)
        let median = leads.sorted()[leads.count / 2]
        // A time that isn't moved on is up to 250 ms old. A busy machine may interrupt the sound now and then.
        let distances = leads.map { ($0 - median).magnitude }.sorted()
        #expect(distances[distances.count / 2] < .milliseconds(20), "\(distances)")
      }
    }

    @Test("mpv goes on while the server doesn't answer")
    func suspended() async throws {
      try await with { test, server in
        server.suspend()
        defer { server.resume() }
        for _ in 0..<20 {
          #expect(await test.player.corePosition()?.source == .audio)
          _ = await test.player.sleep(
            until: .now() + .milliseconds(50), serial: test.player.transportSerial)
        }
      }
    }
  }
}
