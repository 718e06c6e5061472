import Crypto
import Foundation

/// The SHA-256 hash of a server's certificate in DER. Its text names a certificate for which no authority vouches.
public struct CertificateFingerprint: Hashable, Sendable {
  private let bytes: [UInt8]

  /// Creates the fingerprint of a certificate.
  public init(ofCertificate der: [UInt8]) { bytes = Array(SHA256.hash(data: der)) }

  /// - Returns: nil unless `text` has the format of ``text``.
  public init?(_ text: String) {
    guard text.utf8.count == 43, let bytes = Base64URL.decode(text[...]), bytes.count == 32,
      Base64URL.encode(bytes) == text
    else { return nil }
    self.bytes = bytes
  }

  /// The fingerprint in 43 characters of URL-safe base64.
  public var text: String { Base64URL.encode(bytes) }
}

extension Invite.Address {
  /// The proof of identity that a relay with TLS has to give.
  public enum Security: Hashable, Sendable {
    /// A certificate for the address's host, for which an authority vouches.
    case authority
    /// This certificate.
    case certificate(CertificateFingerprint)

    /// - Returns: nil unless `text` has the format of ``text``.
    public init?(_ text: String) {
      if text == "tls" {
        self = .authority
      } else if let fingerprint = CertificateFingerprint(text) {
        self = .certificate(fingerprint)
      } else {
        return nil
      }
    }

    /// `tls`, or the fingerprint.
    public var text: String {
      switch self {
      case .authority: "tls"
      case .certificate(let fingerprint): fingerprint.text
      }
    }
  }
}
