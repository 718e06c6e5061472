import CNATS
import Foundation
import GroupActivities

/// The reasons why a server can't be used, with advice for the user.
extension TransportError {
  init(
    connectingTo server: ServerAddress, configuration: NATSConfiguration, failed error: NATSError
  ) {
    if error.isStatus(NATS_CONNECTION_AUTH_FAILED) {
      let blame = configuration.credentials.map { credentials in
        if let expiry = credentials.expiry, expiry < Date() {
          "; \(credentials) expired on \(Self.day(expiry))"
        } else {
          "; it rejects \(credentials)"
        }
      }
      self.init(.refused, "\(server): \(error.text)\(blame ?? "")")
    } else if error.isStatus(NATS_NO_SERVER) {
      self.init(.unreachable, "\(server) doesn't answer")
    } else if error.isStatus(NATS_SECURE_CONNECTION_WANTED) {
      self.init(
        .untrusted,
        "\(server) offers no TLS, which is required. "
          + "If this is intended, use nats:// without --relay-ca")
    } else if error.isStatus(NATS_SSL_ERROR) {
      self.init(.untrusted, "\(server): \(Self.advice(on: error.text, server, configuration))")
    } else {
      self.init(.unreachable, "\(server): \(error.text)")
    }
  }

  /// Returns advice by OpenSSL's error number for the certificate (`x509_vfy.h`), which libnats
  /// puts before the text.
  private static func advice(
    on text: String, _ server: ServerAddress, _ configuration: NATSConfiguration
  ) -> String {
    let said = text.firstRange(of: "error: ").map { String(text[$0.upperBound...]) } ?? text
    let number = said.prefix { $0.isNumber }
    switch Int(number) {
    case 9: return "the certificate isn't valid yet. Check this machine's clock (\(said))"
    case 10: return "the certificate has expired. The relay's operator must renew it (\(said))"
    case 2, 18, 19, 20, 21:
      let remedy =
        configuration.trustedCertificates == nil
        ? "If you trust it, give the signer's certificate with --relay-ca FILE"
        : "The file given with --relay-ca doesn't contain the signer's certificate"
      return "the signer of its certificate isn't trusted here. \(remedy) (\(said))"
    case 62, 64:
      return
        "the certificate isn't valid for \(server.nameToCertify). Use a host name that it lists "
        + "(\(said))"
    default: return "TLS failed: \(said)"
    }
  }

  private static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}
