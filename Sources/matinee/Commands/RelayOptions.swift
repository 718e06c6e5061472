import ArgumentParser
import GroupActivities
import NATSTransport

/// The options for meeting on somebody's NATS servers.
struct RelayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Meet on these NATS servers: instead of a relay of your own, or of the invite's addresses. tls:// asks for TLS.",
      valueName: "nats://host:port[,…]"),
    transform: ServerList.init(parsing:))
  var relay: ServerList?

  @Option(
    help: ArgumentHelp(
      "Trust the servers that these certificates (PEM) vouch for, instead of the system's; implies TLS.",
      valueName: "file"),
    completion: .file(), transform: RelayOptions.certificates)
  var relayCA: TrustedCertificates?

  @Option(
    help: ArgumentHelp(
      "Who to be there, if the servers ask: a .creds file, or an NKEY seed.", valueName: "file"),
    completion: .file(), transform: RelayOptions.credentials)
  var relayCredentials: BrokerCredentials?

  mutating func validate() throws {
    guard let relay, relayCredentials != nil else { return }
    guard !relay.servers.contains(where: \.hasUserInfo) else {
      throw ValidationError(
        "--relay-credentials and a user or token in --relay's addresses exclude each other")
    }
  }

  var brokers: PartyHosting.Brokers {
    PartyHosting.Brokers(
      servers: relay?.servers ?? [], trustedCertificates: relayCA, credentials: relayCredentials)
  }

  private static func certificates(_ path: String) throws -> TrustedCertificates {
    do throws(TrustedCertificates.Failure) {
      return try TrustedCertificates(contentsOf: path)
    } catch {
      throw ValidationError(error.description)
    }
  }

  private static func credentials(_ path: String) throws -> BrokerCredentials {
    do throws(BrokerCredentials.Failure) {
      return try BrokerCredentials(contentsOf: path)
    } catch {
      throw ValidationError(error.description)
    }
  }
}

/// NATS servers as a command line or an invite names them: addresses with commas between.
struct ServerList: Sendable {
  var servers: [ServerAddress] = []

  /// - Throws: what is wrong with which address.
  init(parsing text: String) throws {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      do throws(TransportError) {
        servers.append(try ServerAddress(String(part)))
      } catch {
        throw ValidationError(error.description)
      }
    }
  }
}
