import Foundation
import MPVPlayer
import Screening
import Testing

@testable import MatineeKit

@Suite("The memory of latencies")
@ScreeningActor
final class LatencyMemoryTests {
  private let folder = SilentFilm.folder.appendingPathComponent(UUID().uuidString).path
  private let speaker = AudioDevice(key: "pulse/speaker", name: "Speaker")
  private let headphones = AudioDevice(key: "pulse/bluez", name: "Headphones")

  private func memory(_ stage: AdapterStage, _ milliseconds: Int? = nil) -> LatencyMemory {
    LatencyMemory(
      offset: milliseconds.map(offset), file: LatencyOffsetFile(folder: folder),
      player: stage.player, runner: stage.runner, events: stage.events)
  }

  private func offset(_ milliseconds: Int) -> LatencyOffset {
    LatencyOffset(clamping: .milliseconds(milliseconds))
  }

  @Test("The offset of the command line holds from the beginning")
  func commandLine() async throws {
    try await AdapterStage.run { stage in
      await memory(stage, 180).begin()
      #expect(stage.player.outputLatency == .milliseconds(180))
    }
  }

  @Test("Each device has its own offset, which is remembered at once if the program ends")
  func devices() async throws {
    try await AdapterStage.run { stage async throws in
      let first = memory(stage)
      await first.deviceChanged(to: speaker)
      await first.set(offset(180))
      await first.change(by: 1)
      first.close()
      #expect(try LatencyOffsetFile(folder: folder).offset(for: speaker) == offset(190))
      let second = memory(stage)
      await second.deviceChanged(to: headphones)
      #expect(second.offset == .zero)
      await second.deviceChanged(to: speaker)
      #expect(stage.player.outputLatency == .milliseconds(190))
    }
  }

  @Test(
    "A changed offset is reported with its device, noted at once, and followed once it is settled")
  func settled() async throws {
    try await AdapterStage.run { stage async throws in
      var group = GroupFacts()
      group.status = .playing
      stage.runner.send(.fact(.group(group)))
      let events = stage.events.follow(atMost: 4)
      let memory = memory(stage)
      await memory.deviceChanged(to: speaker)
      await memory.set(offset(20))
      var reported = events.makeAsyncIterator()
      #expect(
        await reported.next() == .latencyOffset(.milliseconds(20), device: "Speaker"))
      await eventually {
        stage.effects == [.sync(.noteLatencyOffset), .sync(.forget), .reapply]
      }
      #expect(try LatencyOffsetFile(folder: folder).offset(for: speaker) == offset(20))
    }
  }

  @Test("The user hears of a damaged file")
  func damaged() async throws {
    try await AdapterStage.run { stage in
      let file = URL(fileURLWithPath: folder).appendingPathComponent(LatencyOffsetFile.name)
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data("{".utf8).write(to: file)
      var events = stage.events.follow(atMost: 4).makeAsyncIterator()
      await memory(stage).deviceChanged(to: speaker)
      guard case .warning(let text)? = await events.next() else { throw CancellationError() }
      #expect(text.contains("were damaged"))
    }
  }
}
