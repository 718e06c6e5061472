import Concurrency
import Foundation
import MPVPlayer
import PlaybackCoordination
import ProcessTesting
import Screening
import Testing
import Timekeeping

@testable import MatineeKit

/// The parts that adapters share: a loop, a player without picture and sound, and its coordinator.
@ScreeningActor
final class AdapterStage {
  typealias Effect = ScreeningMachine.Effect

  let runner = LoopRunner()
  let events = EventBroadcast<ScreeningEvent>()
  let player: MPVPlayer
  let coordinator: DelegatingPlaybackCoordinator
  /// All effects that the loop handed out.
  private(set) var effects: [Effect] = []
  /// Performs an effect; nil for one that is only recorded.
  var perform: @ScreeningActor (Effect) async throws -> EffectAnswer? = { _ in nil }

  static let silent = MPVConfiguration(
    video: .none, noConfig: true, options: [.init(name: "ao", value: "null")])

  private init() throws {
    player = try MPVPlayer(configuration: Self.silent)
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
  }

  /// Runs a test with a new stage, and ends all of it, also if the test throws.
  static func run(_ body: @ScreeningActor (AdapterStage) async throws -> Void) async throws {
    let stage = try AdapterStage()
    let loop = Task { while let job = await stage.runner.nextJob() { stage.handle(job) } }
    let result: Result<Void, any Error>
    do { result = .success(try await body(stage)) } catch { result = .failure(error) }
    stage.runner.finish()
    await loop.value
    stage.perform = { _ in nil }
    await stage.player.shutDown()
    try result.get()
  }

  private func handle(_ job: ScreeningLoop.Job) {
    effects.append(job.effect)
    Task {
      do {
        runner.answered(job, with: .success(try await perform(job.effect) ?? .done))
      } catch {
        runner.answered(job, with: .failure(error))
      }
    }
  }

  /// Opens a film in the player, paused.
  func open(_ location: String, at position: MediaTime = .zero) async throws {
    try await coordinator.transitionToItem(
      withIdentifier: location, proposing: PlaybackTiming(rate: 0, itemTime: position),
      playerIsReady: false)
    await player.setCurrentItemIdentifier(location)
    try await player.load(location)
    await coordinator.playerDidBecomeReady()
  }
}

/// Waits until a condition holds, and records an issue if it doesn't within a minute.
@ScreeningActor
func eventually(
  _ location: SourceLocation = #_sourceLocation,
  _ condition: @ScreeningActor () async throws -> Bool
) async rethrows {
  let end = HostTime.now() + .seconds(60)
  while try await !condition() {
    guard .now() < end else {
      Issue.record("It doesn't happen within a minute.", sourceLocation: location)
      return
    }
    try? await Task.sleep(for: .milliseconds(5))
  }
}

/// Films of silence. Those of different durations are different films.
enum SilentFilm {
  static let folder = RunFolder.make("matinee-adapter-tests")

  /// Returns a film in a WAV file with 8000 samples of one byte each second.
  static func data(seconds: Int) -> Data {
    let size = UInt32(seconds * 8000)
    func bytes(_ numbers: UInt32...) -> Data {
      Data(numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } })
    }
    return Data("RIFF".utf8) + bytes(36 + size) + Data("WAVEfmt ".utf8)
      + bytes(16, 1 | 1 << 16, 8000, 8000, 1 | 8 << 16) + Data("data".utf8) + bytes(size)
      + Data(repeating: 128, count: Int(size))
  }

  /// Writes a film into a file of its own, and returns the path.
  static func make(seconds: Int = 60) throws -> String {
    let file = folder.appendingPathComponent("\(UUID().uuidString).wav")
    try data(seconds: seconds).write(to: file)
    return file.path
  }
}

extension FilmIdentity {
  /// A film of silence.
  static func silent(seconds: Int = 60) throws -> FilmIdentity {
    try FilmIdentity(SilentFilm.make(seconds: seconds))
  }
}
