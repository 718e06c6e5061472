import ArgumentParser
import Doors
import Foundation
import Logging
import MatineeKit
import Relay
import Screening

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Run a relay for any number of parties, without a player.",
    discussion: """
      Anyone with an invite that names this relay can use it. Parties can't see each other. Each connection is limited \
      to 1,000 messages, 50,000 operations and 96 MiB per second, and to 4 MiB of queued data; all queues together to 256 MiB. A \
      connection that exceeds a rate is slowed down; one that exceeds a queue limit is closed.

      One port serves NATS and WebSocket clients. With --tls-certificate and --tls-key the relay requires TLS; SIGHUP makes \
      it read both files again.

      --monitor serves /healthz and /metrics (Prometheus) over HTTP, without a password: choose an address that only \
      you can reach.
      """)

  @Option(
    help: ArgumentHelp("Address to listen on (default: 0.0.0.0:62846).", valueName: "host:port"))
  var listen: ListenAddress?

  @OptionGroup var certificateOptions: CertificateOptions

  @Option(
    help: ArgumentHelp(
      "Maximum number of connections, \(maximum).",
      discussion: "The system's limit of open files may lower it.",
      valueName: "count"))
  var maxConnections = RelayConfiguration.Limits.ofPublicRelay.connections

  @Option(
    help: ArgumentHelp(
      "Maximum number of connections per party.",
      discussion: "Default: 1024, or an eighth of --max-connections if that is more.",
      valueName: "count"))
  var maxPartyConnections: Int?

  @Option(
    help: ArgumentHelp(
      "Maximum number of connections per address.",
      discussion: """
        Default: 1024, or an eighth of --max-connections if that is more. The addresses of an IPv6 /64 count as one. \
        Raise it behind a proxy, from which all connections have one address.
        """,
      valueName: "count"))
  var maxAddressConnections: Int?

  @Option(
    help: ArgumentHelp(
      "Maximum number of messages per second and connection.", valueName: "count"))
  var maxMessageRate = RelayConfiguration.Limits.ofPublicRelay.messages.perSecond

  @Option(
    help: ArgumentHelp("Address of the HTTP status page.", valueName: "host:port"))
  var monitor: ListenAddress?

  private static let maximum = "1 to 1000000"

  func validate() throws {
    guard (1...1_000_000).contains(maxConnections) else {
      throw ValidationError("--max-connections must be \(Self.maximum).")
    }
    guard maxPartyConnections.map({ $0 >= 1 }) ?? true else {
      throw ValidationError("--max-party-connections must be at least 1.")
    }
    guard maxAddressConnections.map({ $0 >= 1 }) ?? true else {
      throw ValidationError("--max-address-connections must be at least 1.")
    }
    guard (1...1_000_000).contains(maxMessageRate) else {
      throw ValidationError("--max-message-rate must be \(Self.maximum).")
    }
  }

  func run() async throws {
    for warning in StartContext.current.warnings { ExitStatus.printError(warning) }
    let host = listen?.host ?? "0.0.0.0"
    var configuration = RelayConfiguration(
      admission: .anyKey, host: host, port: listen?.port ?? PartyHosting.usualPort)
    configuration.limits = .ofPublicRelay
    let allowed = OpenFiles.raiseLimit() - Self.ownFiles
    configuration.limits.connections = max(1, min(maxConnections, allowed))
    configuration.limits.connectionsPerParty = maxPartyConnections ?? max(1024, maxConnections / 8)
    configuration.limits.connectionsPerAddress =
      maxAddressConnections ?? max(1024, maxConnections / 8)
    configuration.limits.connectionsForKnownParties = configuration.limits.connections / 16
    configuration.limits.messages.perSecond = maxMessageRate
    configuration.limits.messages.burst = 4 * maxMessageRate
    if allowed < maxConnections {
      ExitStatus.printError(
        "This system allows only \(allowed) connections. Raise the limit of open files (ulimit -n)."
      )
    }
    let certificate = try certificateOptions.certificateOrExit()
    configuration.certificate = certificate
    configuration.page = PageFile.served
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
      relay: use it for a party with --relay \(certificate == nil ? "nats" : "tls")://HOST:\(port)

      """
    if let certificate {
      lines += """
        relay: or, if no authority vouches for its certificate, with --relay \
        tls://HOST:\(port)+\(certificate.fingerprint.text)

        """
    }
    if let monitoring { lines += "relay: status page on http://\(monitoring.address)\n" }
    // Before the lines below show scripts that there is a process to end.
    let termination = await Signals.termination()
    // `print` would buffer the lines if the output isn't a terminal.
    FileHandle.standardOutput.write(Data(lines.utf8))
    for await signal in termination {
      guard signal == SIGHUP, certificate != nil else { break }
      readCertificateAgain(for: relay)
    }
    await relay.shutdown()
    await monitoring?.shutdown()
  }

  /// Keeps the certificate that is in use if the files can't be used.
  private func readCertificateAgain(for relay: Relay) {
    do throws(RelayError) {
      guard let certificate = try certificateOptions.certificate() else { return }
      relay.use(certificate)
      ExitStatus.printError(
        "New connections get the certificate \(certificate.fingerprint.text).")
    } catch {
      ExitStatus.printError("The relay keeps its certificate: \(error.description)")
    }
  }

  /// The relay's open files besides connections, with room for connections that are about to close.
  private static let ownFiles = 320
}
