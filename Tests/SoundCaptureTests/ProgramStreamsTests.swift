import Testing

@testable import SoundCapture

@Suite("The streams that are calls")
struct ProgramStreamsTests {
  /// Two sinks with monitors 10 and 11, a microphone 12, and a program with the connections 1 and 2.
  private var streams: ProgramStreams {
    var streams = ProgramStreams()
    streams.monitors = [0: 10, 1: 11]
    streams.clients = [1: client("100"), 2: client("100"), 3: client("101")]
    return streams
  }

  private func client(_ process: String, role: String? = nil) -> ProgramStreams.Client {
    .init(program: .init(process: process, binary: "talk"), role: role)
  }

  private func playback(
    of client: UInt32, role: String? = nil, isFilter: Bool = false
  ) -> ProgramStreams.Playback {
    .init(client: client, sink: 1, role: role, isFilter: isFilter)
  }

  @Test(
    "A role for communication is enough, on the stream or its connection",
    arguments: ["phone", "Communication"])
  func role(role: String) {
    var streams = streams
    streams.playbacks = [5: playback(of: 1, role: role), 6: playback(of: 3)]
    #expect(streams.calls(except: "1") == [5: 11])
    streams.clients[3] = client("101", role: role)
    #expect(streams.calls(except: "1") == [5: 11, 6: 11])
  }

  @Test("A program that plays and records is in a call, also over two connections")
  func recorder() {
    var streams = streams
    streams.playbacks = [5: playback(of: 1), 6: playback(of: 3)]
    #expect(streams.calls(except: "1").isEmpty)
    streams.recordings = [.init(client: 2, source: 12)]
    #expect(streams.calls(except: "1") == [5: 11])
  }

  @Test("A recording of a sink's own sound is no microphone's")
  func monitor() {
    var streams = streams
    streams.playbacks = [5: playback(of: 1)]
    streams.recordings = [.init(client: 1, source: 10)]
    #expect(streams.calls(except: "1").isEmpty)
  }

  @Test("Another role, a filter and the own process are no calls")
  func others() {
    var streams = streams
    streams.recordings = [.init(client: 1, source: 12)]
    streams.playbacks = [5: playback(of: 1, role: "game"), 6: playback(of: 1, isFilter: true)]
    #expect(streams.calls(except: "1").isEmpty)
    streams.playbacks = [5: playback(of: 1), 6: playback(of: 1, role: "phone")]
    #expect(streams.calls(except: "100").isEmpty)
  }

  @Test("Streams of the server's modules, and of sinks that aren't listed, are no calls")
  func unlisted() {
    var streams = streams
    streams.playbacks = [5: playback(of: .max, role: "phone")]
    #expect(streams.calls(except: "1").isEmpty)
    streams.playbacks = [5: playback(of: 1, role: "phone")]
    streams.monitors = [:]
    #expect(streams.calls(except: "1").isEmpty)
  }
}
