import ArgumentParser
import Calibration
import Concurrency
import Foundation
import MPVPlayer
import MatineeKit
import Screening
import SpeakerCalibration

struct Calibrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find your speaker's delay with a microphone.",
    discussion: """
      It plays three sweeps through mpv as a film is played, and records them. The delay that mpv doesn't know about is \
      saved for the audio device, as --latency-offset is. It refuses rather than guesses if the room is too noisy. The \
      recording stays in memory.

      A microphone's own delay is part of the result. With --pair it isn't: two machines beside one another play and \
      record in turn, and the one whose sound is later is corrected.
      """)

  @Argument(
    help: ArgumentHelp(
      "The invite that the other machine's --pair shows, in quotation marks; - asks for it, or reads standard input.",
      valueName: "invite"))
  var invite: String?

  @Flag(help: "Compare the sounds of two machines beside one another.")
  var pair = false

  @Option(
    help: ArgumentHelp("Address for the other machine, with --pair.", valueName: "host:port"))
  var listen: ListenAddress?

  @Option(
    help: ArgumentHelp(
      "Write the invite to this file, readable only by you, with --pair.", valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @Option(
    help: ArgumentHelp(
      "Microphone to record (default: the sound server's).",
      discussion: "A name from: pactl list short sources.", valueName: "name"))
  var microphone: String?

  @Flag(help: "Measure, but save nothing.")
  var dryRun = false

  @OptionGroup var player: MPVOptions

  mutating func validate() throws {
    guard !pair || invite == nil else {
      throw ValidationError("--pair shows an invite; the other machine takes it, without --pair.")
    }
    guard pair || (listen == nil && inviteFile == nil) else {
      throw ValidationError("--listen and --invite-file need --pair.")
    }
  }

  func run() async throws {
    for warning in StartContext.current.warnings { ExitStatus.printError(warning) }
    do {
      // Before the user makes the room quiet for nothing.
      try await CalibrationRun.checkMicrophone(microphone)
      if pair || invite != nil { return try await compare() }
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
    return try await CalibrationRun.measure(configuration, microphone: microphone)
  }

  private var configuration: MPVConfiguration {
    MPVConfiguration(video: .none, noConfig: !player.readsMPVConfiguration, options: player.mpv)
  }

  /// Prints the result and saves it.
  private func report(_ measured: CalibrationRun.Measured) throws {
    write(CalibrationWords.measured(measured))
    try save(CalibrationWords.offset(measured.delay.delay), for: measured.device)
  }

  private func save(_ offset: Duration, for device: AudioDevice) throws {
    guard !dryRun else { return write("Not saved (--dry-run).") }
    let file = try file()
    do {
      let before = try file.offset(for: device)?.duration ?? .zero
      try file.remember(LatencyOffset(clamping: offset), for: device)
      write(CalibrationWords.saved(offset, before: before, for: device))
      if let origin = StartContext.current.origins["latency-offset"] {
        write(CalibrationWords.overridden(by: origin))
      }
    } catch {
      ExitStatus.printError(error.description)
      throw ExitCode.failure
    }
  }

  private func file() throws -> LatencyOffsetFile {
    guard let folder = StateFolder.path() else {
      ExitStatus.printError("There is no home folder in which the delay could be saved.")
      throw ExitCode.failure
    }
    return LatencyOffsetFile(folder: folder)
  }

  // MARK: - Two machines

  private func compare() async throws {
    // The invite is a key.
    CoreDumps.forbid()
    signal(SIGPIPE, SIG_IGN)
    OpenFiles.raiseLimit(to: OpenFiles.playerLimit)
    let meeting: PairMeeting
    do {
      if let invite {
        let text = invite == "-" ? try await InviteFile.readStandardInput() : invite
        meeting = try await PairMeeting(joining: try Join.invite(text))
        write(CalibrationWords.beside)
      } else {
        meeting = try await PairMeeting(listeningOn: listen)
        if let inviteFile { try InviteFile.write(meeting.party.invite, to: inviteFile) }
        write(CalibrationWords.pairing(meeting.party.invite))
      }
    } catch let exit as ExitCode {
      throw exit
    } catch {
      ExitStatus.printError(ErrorAdvice.text(of: error))
      throw ExitStatus.of(error)
    }
    let result: Result<PairedCalibration.Measured, CalibrationFailure>
    do throws(CalibrationFailure) {
      result = .success(try await compare(in: meeting))
    } catch {
      result = .failure(error)
    }
    await meeting.end()
    try report(try result.get())
  }

  private func compare(
    in meeting: PairMeeting
  ) async throws(CalibrationFailure) -> PairedCalibration.Measured {
    let errors = SilentErrors()
    defer { errors.end() }
    let calibration = await PairedCalibration(
      meeting.party, configuration: configuration, microphone: microphone,
      saved: Self.savedOffset)
    return try await calibration.run(isHost: meeting.isHost) { write(CalibrationWords.quiet) }
  }

  @Sendable
  private static func savedOffset(
    for device: AudioDevice
  ) throws(CalibrationFailure) -> Duration {
    guard let folder = StateFolder.path() else { return .zero }
    do {
      return try LatencyOffsetFile(folder: folder).offset(for: device)?.duration ?? .zero
    } catch {
      throw .offsets(error.description)
    }
  }

  /// Prints the result, and saves it if this machine's sound is the later one.
  private func report(_ measured: PairedCalibration.Measured) throws {
    guard case .compared(let delays, let lateness) = measured.outcome, let device = measured.device
    else {
      ExitStatus.printError(CalibrationWords.text(of: measured.outcome))
      throw ExitCode.failure
    }
    write(CalibrationWords.compared(delays, lateness: lateness))
    guard lateness >= CalibrationWords.least else { return }
    let sum = measured.before + lateness
    try save(CalibrationWords.offset(sum), for: device)
  }

  private func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}

extension CalibrationFailure {
  fileprivate var exitCode: ExitCode {
    switch self {
    case .capture, .noDevice, .party, .otherParty, .otherLeft: ExitStatus.unreachable
    case .refused, .otherRefused, .player, .offsets, .crowd, .clock: .failure
    }
  }
}
