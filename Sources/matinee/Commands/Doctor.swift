import ArgumentParser
import Foundation
import GroupActivities
import MPVPlayer
import NATSTransport
import Relay
import Timekeeping

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "What works here, what doesn't, how to mend it.")

  private struct Finding {
    enum Grade { case good, notice, bad }

    var grade: Grade
    var subject: String
    var text: String
  }

  func run() async throws {
    var findings = [
      terminal(), display(), program("yt-dlp", "films from web sites", package: "yt-dlp"),
    ]
    findings.append(await playback())
    findings += await relay()
    findings.append(network())
    for finding in findings {
      let mark =
        switch finding.grade {
        case .good: "ok  "
        case .notice: "note"
        case .bad: "FAIL"
        }
      print(
        "\(mark)  \(finding.subject.padding(toLength: 10, withPad: " ", startingAt: 0)) \(finding.text)"
      )
    }
    if findings.contains(where: { $0.grade == .bad }) { throw ExitCode.failure }
  }

  private func terminal() -> Finding {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(0) == 1, isatty(1) == 1 else {
      return Finding(
        grade: .notice, subject: "terminal", text: "not a terminal: only --headless works here")
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, locale.lowercased().contains("utf") else {
      return Finding(
        grade: .notice, subject: "terminal",
        text: "the locale isn't UTF-8, so lines are drawn in ASCII; try LANG=C.UTF-8")
    }
    return Finding(grade: .good, subject: "terminal", text: environment["TERM"] ?? "unknown")
  }

  private func display() -> Finding {
    let environment = ProcessInfo.processInfo.environment
    let display = environment["WAYLAND_DISPLAY"] ?? environment["DISPLAY"] ?? ""
    return display.isEmpty
      ? Finding(
        grade: .notice, subject: "display",
        text: "none: films play without a window (over SSH, try ssh -X)")
      : Finding(grade: .good, subject: "display", text: display)
  }

  private func program(_ name: String, _ purpose: String, package: String) -> Finding {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let isThere = path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
    return isThere
      ? Finding(grade: .good, subject: name, text: "there, for \(purpose)")
      : Finding(
        grade: .notice, subject: name,
        text: "not there; \(purpose) need it (Debian: apt install \(package))")
  }

  /// Plays a tone that mpv generates itself: the player, its decoder and its clock are real.
  private func playback() async -> Finding {
    do {
      let player = try MPVPlayer(
        configuration: MPVConfiguration(
          video: .none, noConfig: true, options: [.init(name: "ao", value: "null")]))
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("matinee-doctor-\(UUID().uuidString).wav")
      try Self.silence(seconds: 2).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await player.load(file.path)
      let duration = await player.snapshot().duration
      await player.shutDown()
      return Finding(
        grade: .good, subject: "libmpv",
        text: "opens and decodes (\(duration.map { "\($0.seconds)" } ?? "?") s of test sound)")
    } catch {
      return Finding(
        grade: .bad, subject: "libmpv", text: "\(error); try: matinee doctor with --no-config films"
      )
    }
  }

  /// A WAV file of 8 kHz, 8-bit mono.
  private static func silence(seconds: Int) -> Data {
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let samples = UInt32(seconds * 8000)
    var data = Array("RIFF".utf8) + little(36 + samples, 4) + Array("WAVEfmt ".utf8)
    data += little(16, 4) + little(1, 2) + little(1, 2) + little(8000, 4) + little(8000, 4)
    data += little(1, 2) + little(8, 2) + Array("data".utf8) + little(samples, 4)
    return Data(data) + Data(repeating: 128, count: Int(samples))
  }

  /// A whole party on this machine: relay, NATS client, admission, clock.
  private func relay() async -> [Finding] {
    let founding = Party.Founding()
    var options = PartyHosting.Options()
    options.host = "127.0.0.1"
    options.port = 0
    do {
      let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
      let host = try await Party.create(
        founding, addresses: hosting.addresses, name: "host", transport: transport)
      let keys = PartyKeys(secret: host.invite.secret, party: host.invite.party)
      let client = NATSTransport(
        configuration: NATSConfiguration(
          servers: try hosting.addresses.map { address in try ServerAddress(address.text) }),
        admission: keys.admission, logger: .ofTransport)
      let guest = try await Party.join(host.invite, name: "guest", transport: client)
      let reading = guest.clock.reading
      await guest.leave()
      await host.leave()
      await hosting.stop()
      let quality = reading.map { String(format: "±%.2f ms", $0.uncertainty.inMilliseconds) } ?? "?"
      return [
        Finding(grade: .good, subject: "relay", text: "a party on this machine works"),
        Finding(grade: .good, subject: "clock", text: "the group's time is known to \(quality)"),
      ]
    } catch {
      return [Finding(grade: .bad, subject: "relay", text: ExitStatus.advice(error))]
    }
  }

  private func network() -> Finding {
    let addresses = NetworkAddresses.reachable(listeningOn: "::")
    guard addresses != ["127.0.0.1"] else {
      return Finding(
        grade: .notice, subject: "network",
        text: "no address but this machine's own: others can't reach a party here")
    }
    return Finding(
      grade: .good, subject: "network",
      text: addresses.joined(separator: ", ")
        + "; from outside, forward TCP port \(PartyHosting.usualPort), or use --relay")
  }
}
