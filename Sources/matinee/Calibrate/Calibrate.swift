import ArgumentParser
import Calibration
import Concurrency
import Foundation
import MPVPlayer
import SoundCapture

struct Calibrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find your speaker's delay with a microphone.",
    discussion: """
      It plays three sweeps through mpv as a film is played, and records them. The delay that mpv doesn't know about is \
      saved for the audio device, as --latency-offset is. It refuses rather than guesses if the room is too noisy. The \
      recording stays in memory.
      """)

  @Option(
    help: ArgumentHelp(
      "Microphone to record (default: the sound server's).",
      discussion: "A name from: pactl list short sources.", valueName: "name"))
  var microphone: String?

  @Flag(help: "Measure, but save nothing.")
  var dryRun = false

  @Option(
    name: .customLong("mpv"),
    help: ArgumentHelp(
      "Set an mpv option (overrides mpv.conf; may be repeated).", valueName: "name=value"))
  var mpv: [MPVConfiguration.Option] = []

  @Flag(
    name: .customLong("config"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Load your mpv configuration and scripts.")
  var readsMPVConfiguration = true

  func run() async throws {
    for warning in StartContext.current.warnings { ExitStatus.printError(warning) }
    do {
      // Before the user makes the room quiet for nothing.
      try await CalibrationRun.checkMicrophone(microphone)
      write(CalibrationWords.request)
      if isatty(STDIN_FILENO) == 1 {
        write(CalibrationWords.start)
        await OwnedThread.run("enter") { _ = readLine() }
      }
      try report(await measure())
    } catch let failure as CalibrationFailure {
      ExitStatus.printError(failure.description)
      throw failure.exitCode
    }
  }

  private func measure() async throws(CalibrationFailure) -> CalibrationRun.Measured {
    let errors = SilentErrors()
    defer { errors.end() }
    return try await CalibrationRun.measure(
      MPVConfiguration(video: .none, noConfig: !readsMPVConfiguration, options: mpv),
      microphone: microphone)
  }

  /// Prints the result and saves it.
  private func report(_ measured: CalibrationRun.Measured) throws {
    let offset = CalibrationWords.offset(measured.delay.delay)
    write(CalibrationWords.measured(measured))
    guard !dryRun else { return write("Not saved (--dry-run).") }
    guard let folder = StateFolder.path() else {
      ExitStatus.printError("There is no home folder in which the delay could be saved.")
      throw ExitCode.failure
    }
    let file = LatencyOffsetFile(folder: folder)
    do {
      let before = try file.offset(for: measured.device) ?? .zero
      try file.remember(offset, for: measured.device)
      write(CalibrationWords.saved(offset, before: before, for: measured.device))
    } catch {
      ExitStatus.printError(error.description)
      throw ExitCode.failure
    }
  }

  private func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
