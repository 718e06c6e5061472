import ArgumentParser
import Foundation
import GroupActivities
import MPVPlayer
import NATSTransport
import Reachability
import Relay
import Timekeeping

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "What works here, what doesn't, how to mend it.")

  private typealias Finding = DoctorFinding

  func run() async throws {
    var findings = [
      terminal(), display(), program("yt-dlp", "films from web sites", package: "yt-dlp"),
    ]
    findings += installation() + ownFiles() + [sessionBus()]
    findings.append(await playback())
    findings += await relay()
    let interfaces = InterfaceAddress.all()
    findings += [network(interfaces), ipv6(interfaces), await router(interfaces), await avahi()]
    for finding in findings { print(finding.line) }
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
        text: "none: the picture is in the terminal")
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

  private func installation() -> [Finding] {
    InstallationCheck(
      environment: ProcessInfo.processInfo.environment,
      exists: { FileManager.default.isReadableFile(atPath: $0) },
      read: { ConfigurationFolder.File($0)?.text }
    ).findings
  }

  /// What the user has written: told here as at every start.
  private func ownFiles() -> [Finding] {
    guard let folder = ConfigurationFolder.path() else {
      return [.notice("settings", "there is no home folder, so there are none")]
    }
    let problems =
      (try? StartArguments.problems(of: ["watch", "host", "join", "relay"])) ?? []
      + UserFiles(folder: folder).warnings
    let isThere = ["matinee.conf", "keys.conf", "theme.conf"].filter {
      FileManager.default.fileExists(atPath: "\(folder)/\($0)")
    }
    guard problems.isEmpty else { return problems.map { .notice("settings", $0) } }
    return [
      .good(
        "settings",
        isThere.isEmpty
          ? "none in \(folder); man 5 matinee" : "\(isThere.joined(separator: ", ")) understood")
    ]
  }

  /// By which the desktop is told what plays, and tells who presses its keys.
  private func sessionBus() -> Finding {
    let environment = ProcessInfo.processInfo.environment
    let address =
      environment["DBUS_SESSION_BUS_ADDRESS"]
      ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
    guard let address else {
      return .notice("bus", "no session bus: the desktop isn't told what plays")
    }
    guard let path = SessionBusAddress.path(address) else { return .good("bus", address) }
    return LocalSocket.isListening(path)
      ? .good("bus", "the desktop can be told what plays")
      : .notice("bus", "nobody answers at \(path): the desktop isn't told what plays")
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

  private func network(_ interfaces: [InterfaceAddress]) -> Finding {
    let usable = LocalAddresses.usable(among: interfaces)
    return usable.isEmpty
      ? Finding(
        grade: .notice, subject: "network",
        text: "no address but this machine's own: others can't reach a party here")
      : Finding(
        grade: .good, subject: "network", text: usable.map(\.text).joined(separator: ", "))
  }

  private func ipv6(_ interfaces: [InterfaceAddress]) -> Finding {
    LocalAddresses.usable(among: interfaces).contains { $0.isIPv6 && $0.scope == .everywhere }
      ? Finding(
        grade: .good, subject: "IPv6",
        text: "there; to be reached by it, let TCP port \(PartyHosting.usualPort) in at your router"
      )
      : Finding(
        grade: .notice, subject: "IPv6", text: "no address of the internet; IPv4 does as well")
  }

  /// Asks what a host asks, but maps nothing.
  private func router(_ interfaces: [InterfaceAddress]) async -> Finding {
    func reach(_ status: PortMappingStatus) -> Reach {
      Reach(host: "*", port: PartyHosting.usualPort, interfaces: interfaces, mapping: status)
    }
    let routers = await RouterDescription.all()
    guard let router = routers.first(where: { $0.isOnTheInternet }) ?? routers.first else {
      let advice = reach(.noRouter).advice
      return Finding(
        grade: advice == nil ? .good : .notice, subject: "router",
        text: advice ?? "none that maps ports, and none is needed: the address is the internet's")
    }
    guard router.isOnTheInternet else {
      let status = PortMappingStatus.behindAnotherRouter(
        router.method, externalAddress: router.externalAddress)
      return Finding(
        grade: .notice, subject: "router",
        text: reach(status).advice ?? "\(router.method.rawValue), but not on the internet itself")
    }
    return Finding(
      grade: .good, subject: "router",
      text: "\(routers.map(\.method.rawValue).joined(separator: " and ")), on the internet as "
        + "\(router.externalAddress ?? "?"): asked to let friends in while you host a party")
  }

  private func avahi() async -> Finding {
    do {
      let version = try await ServiceBrowser.daemonVersion()
      return Finding(
        grade: .good, subject: "Avahi", text: "\(version): matinee join finds parties in the house")
    } catch {
      return Finding(
        grade: .notice, subject: "Avahi",
        text: "doesn't answer (\(error)); parties in the house need their invite "
          + "(Debian: apt install avahi-daemon)")
    }
  }
}
