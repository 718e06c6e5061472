import ArgumentParser
import Foundation
import Logging
import Relay

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Run a relay without a player, for any number of parties.")

  @Option(help: ArgumentHelp("Where to listen. Default: 0.0.0.0:62846.", valueName: "host:port"))
  var listen: ListenAddress?

  @Option(help: "How many connections at most.")
  var maxConnections = 8192

  func run() async throws {
    let host = listen?.host ?? "0.0.0.0"
    var configuration = RelayConfiguration(
      admission: .anyKey, host: host, port: listen?.port ?? PartyHosting.usualPort)
    configuration.limits.connections = maxConnections
    let relay = Relay(
      configuration: configuration,
      logger: Logger(label: "matinee.relay"))
    do {
      _ = try await relay.start()
      let port = relay.boundPort ?? 0
      // Written, not printed: `print` waits for more when nobody watches.
      FileHandle.standardOutput.write(
        Data(
          """
          relay: listening on \(host.contains(":") ? "[\(host)]" : host):\(port)
          relay: parties use it with --relay nats://HOST:\(port)

          """.utf8))
    } catch {
      await relay.shutdown()
      ExitStatus.printError(error.description)
      throw ExitStatus.of(error)
    }
    for await _ in Signals.termination() { break }
    await relay.shutdown()
  }
}
