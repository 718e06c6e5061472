import ArgumentParser
import Foundation
import Logging
import Relay

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Run a relay without a player, for any number of parties.",
    discussion: """
      Whoever holds an invite that names this relay can use it; a party sees nothing of another. \
      What one connection may do is limited: 50,000 operations and 128 MiB a second, 4 MiB that \
      wait for it. Over a rate it is made to wait, over the rest it is cut off. All that waits for \
      connections together is limited to 256 MiB.

      --monitor serves /healthz, /varz (JSON, with nats-server's names) and /metrics (Prometheus) \
      over HTTP, to whoever asks: give it an address that only you reach.
      """)

  @Option(help: ArgumentHelp("Where to listen. Default: 0.0.0.0:62846.", valueName: "host:port"))
  var listen: ListenAddress?

  @Option(
    help: ArgumentHelp(
      "How many connections at most, \(maximum). The system may allow fewer open files.",
      valueName: "count"))
  var maxConnections = RelayConfiguration.Limits.ofPublicRelay.connections

  @Option(
    help: ArgumentHelp(
      "How many connections one party may have. Default: 1024, or an eighth of all if that is more.",
      valueName: "count"))
  var maxPartyConnections: Int?

  @Option(
    help: ArgumentHelp("Where to tell over HTTP how the relay is.", valueName: "host:port"))
  var monitor: ListenAddress?

  private static let maximum = "1 to 1000000"

  func validate() throws {
    guard (1...1_000_000).contains(maxConnections) else {
      throw ValidationError("--max-connections is \(Self.maximum)")
    }
    guard maxPartyConnections.map({ $0 >= 1 }) ?? true else {
      throw ValidationError("--max-party-connections is 1 at least")
    }
  }

  func run() async throws {
    for warning in StartWarnings.current { ExitStatus.printError(warning) }
    let host = listen?.host ?? "0.0.0.0"
    var configuration = RelayConfiguration(
      admission: .anyKey, host: host, port: listen?.port ?? PartyHosting.usualPort)
    configuration.limits = .ofPublicRelay
    let allowed = OpenFiles.raiseLimit() - Self.ownFiles
    configuration.limits.connections = max(1, min(maxConnections, allowed))
    configuration.limits.connectionsPerParty = maxPartyConnections ?? max(1024, maxConnections / 8)
    if allowed < maxConnections {
      ExitStatus.printError(
        "this system allows \(allowed) connections only: raise the limit of open files (ulimit -n)")
    }
    let relay = Relay(configuration: configuration, logger: Logger(label: "matinee.relay"))
    var monitoring: RelayMonitor?
    do throws(RelayError) {
      try await relay.start()
      if let monitor {
        monitoring = try await RelayMonitor(of: relay, host: monitor.host, port: monitor.port)
      }
    } catch {
      await relay.shutdown()
      ExitStatus.printError(error.description)
      throw ExitStatus.of(error)
    }
    let port = relay.boundPort ?? 0
    var lines = """
      relay: listening on \(RelayAddress(host: host, port: port))
      relay: parties use it with --relay nats://HOST:\(port)

      """
    if let monitoring { lines += "relay: monitor on http://\(monitoring.address)\n" }
    // Written, not printed: `print` waits for more when nobody watches.
    FileHandle.standardOutput.write(Data(lines.utf8))
    for await _ in Signals.termination() { break }
    await relay.shutdown()
    await monitoring?.shutdown()
  }

  /// What the relay has open besides connections, with room for those that are about to close.
  private static let ownFiles = 320
}

/// The files, sockets among them, that this process may have open.
enum OpenFiles {
  /// Raises the limit as far as the system lets us.
  ///
  /// - Returns: the limit from now on.
  static func raiseLimit() -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    return Int(clamping: limit.rlim_cur)
  }
}
