import ArgumentParser
import GroupActivities
import MatineeKit
import NATSTransport

/// The relays on the way to the other participants.
struct RelayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use these NATS servers, not the built-in relay.",
      discussion:
        "A guest gives it to replace the invite's addresses. tls:// requires TLS; ws:// and wss:// use WebSocket.",
      valueName: "nats://host,…"),
    transform: ServerList.init(parsing:))
  var relay: ServerList?

  @Option(
    help: ArgumentHelp(
      "Trust these certificates (PEM); implies TLS.",
      valueName: "file"),
    completion: .file(), transform: RelayOptions.certificates)
  var relayCA: TrustedCertificates?

  @Option(
    help: ArgumentHelp(
      "Credentials for those servers.",
      discussion: "A .creds file, or a file with an NKEY seed.", valueName: "key"),
    completion: .file(), transform: RelayOptions.credentials)
  var relayCredentials: BrokerCredentials?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Keep a backup relay ready for the party.",
      discussion: "Everyone in the party learns this machine's addresses."))
  var standby = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Ask the router to open the port (UPnP, NAT-PMP).")
  var portMapping = true

  mutating func validate() throws {
    guard let relay, relayCredentials != nil else { return }
    guard !relay.servers.contains(where: \.hasUserInfo) else {
      throw ValidationError(
        "--relay-credentials and a user or token in --relay can't be combined.")
    }
  }

  var hosting: PartyHosting.Options {
    var options = PartyHosting.Options()
    options.brokers = PartyHosting.Brokers(
      servers: relay?.servers ?? [], trustedCertificates: relayCA, credentials: relayCredentials)
    options.mapsPort = portMapping
    options.standsBy = standby
    return options
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

/// Addresses of NATS servers, separated by commas.
struct ServerList: Sendable {
  var servers: [ServerAddress] = []

  /// - Throws: `ValidationError`, which names the first address that is malformed.
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
