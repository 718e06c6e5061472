import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The certificates of the authorities that vouch for a server's identity, instead of the system's:
/// from a PEM file. With such a file nothing is sent to a server without TLS.
public struct TrustedCertificates: Sendable {
  /// The reason why a file can't be used, as text for the user who named it.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason with the file's path, as a sentence.
    public let description: String
  }

  let authorities: [NIOSSLCertificate]

  /// - Throws: ``Failure`` unless the file can be read and holds at least one certificate.
  public init(contentsOf path: String) throws(Failure) {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
      throw Failure(description: "The certificates in \(path) can't be read")
    }
    do {
      authorities = try NIOSSLCertificate.fromPEMBytes(Array(data))
    } catch {
      authorities = []
    }
    guard !authorities.isEmpty else {
      throw Failure(
        description: "\(path) contains no usable certificates (PEM, BEGIN CERTIFICATE)")
    }
  }
}
