import Foundation
import GroupActivities
import NATSProtocol

/// The reasons why a server can't be used, with advice for the user.
extension TransportError {
  init(
    connectingTo server: ServerAddress, configuration: NATSConfiguration, failed error: NATSError
  ) {
    switch error {
    case .server(let answer) where answer.kind == .authorization:
      let blame = configuration.credentials.map { credentials in
        if let expiry = credentials.expiry, expiry < Date() {
          "; \(credentials) expired on \(Self.day(expiry))"
        } else {
          "; it rejects \(credentials)"
        }
      }
      self.init(.refused, "\(server): \(error)\(blame ?? "")")
    case .unreachable: self.init(.unreachable, "\(server) doesn't answer")
    case .silent: self.init(.unreachable, "\(server) accepts connections, but doesn't answer")
    case .noTLS:
      self.init(
        .untrusted,
        "\(server) offers no TLS, which is required. "
          + "If this is intended, use nats:// without --relay-ca")
    case .certificate(let fault):
      self.init(.untrusted, "\(server): \(Self.advice(on: fault, server, configuration))")
    case .tls, .spokeTooSoon: self.init(.untrusted, "\(server): \(error)")
    case .closed: self.init(.unreachable, "connecting was cancelled")
    case .unknownHost, .lost, .stale, .notReading, .server, .violation, .flood, .unsigned,
      .noWebSocket:
      self.init(.unreachable, "\(server): \(error)")
    }
  }

  private static func advice(
    on fault: CertificateFault, _ server: ServerAddress, _ configuration: NATSConfiguration
  ) -> String {
    switch fault {
    case .notValidYet: "\(fault). Check this machine's clock"
    case .expired: "\(fault). The relay's operator must renew it"
    case .unknownSigner:
      configuration.trustedCertificates == nil
        ? "\(fault). If you trust it, give the signer's certificate with --relay-ca FILE"
        : "\(fault). The file given with --relay-ca doesn't contain the signer's certificate"
    case .otherName:
      "the certificate isn't valid for \(server.nameToCertify). Use a host name that it lists"
    }
  }

  private static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}
