import CNATS
import Foundation
import GroupActivities

/// Why a server can't be used, in words that say what to do about it.
extension TransportError {
  init(
    connectingTo server: ServerAddress, configuration: NATSConfiguration, failed error: NATSError
  ) {
    if error.isStatus(NATS_CONNECTION_AUTH_FAILED) {
      let blame = configuration.credentials.map { credentials in
        if let expiry = credentials.expiry, expiry < Date() {
          "; \(credentials) expired on \(Self.day(expiry))"
        } else {
          "; it doesn't accept \(credentials)"
        }
      }
      self.init(.refused, "\(server): \(error.text)\(blame ?? "")")
    } else if error.isStatus(NATS_NO_SERVER) {
      self.init(.unreachable, "\(server): nobody answers")
    } else if error.isStatus(NATS_SECURE_CONNECTION_WANTED) {
      self.init(
        .untrusted,
        "\(server): it offers no TLS, and without that nothing is sent to it; "
          + "say nats:// and leave the CA out if it is meant to have none")
    } else if error.isStatus(NATS_SSL_ERROR) {
      self.init(.untrusted, "\(server): \(Self.advice(on: error.text, server, configuration))")
    } else {
      self.init(.unreachable, "\(server): \(error.text)")
    }
  }

  /// By OpenSSL's number for what is wrong with the certificate (`x509_vfy.h`), which libnats puts before
  /// the text.
  private static func advice(
    on text: String, _ server: ServerAddress, _ configuration: NATSConfiguration
  ) -> String {
    let said = text.firstRange(of: "error: ").map { String(text[$0.upperBound...]) } ?? text
    let number = said.prefix { $0.isNumber }
    switch Int(number) {
    case 9: return "its certificate isn't valid yet; is this machine's clock right? (\(said))"
    case 10: return "its certificate has expired; whoever runs it has to renew it (\(said))"
    case 2, 18, 19, 20, 21:
      let remedy =
        configuration.trustedCertificates == nil
        ? "give that signer's certificate with --relay-ca FILE if you trust it"
        : "the file given with --relay-ca doesn't hold that signer's certificate"
      return "its certificate is signed by somebody who isn't trusted here; \(remedy) (\(said))"
    case 62, 64:
      return
        "its certificate is made out to somebody else than \(server.nameToCertify); use the name "
        + "that the certificate has (\(said))"
    default: return "TLS failed: \(said)"
    }
  }

  private static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}
