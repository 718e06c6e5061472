import GroupActivities
import NIOSSL

/// A certificate and its private key, with which a relay serves TLS.
public struct RelayCertificate: Sendable {
  /// The path of the file from which the certificate was read.
  public let certificateFile: String
  /// The path of the file from which the key was read.
  public let keyFile: String
  /// The context of TLS connections that serve the certificate.
  package let context: NIOSSLContext
  /// The certificate's fingerprint, by which an invite can name the relay.
  public let fingerprint: CertificateFingerprint

  /// Reads a certificate and its key.
  ///
  /// - Parameters:
  ///   - certificateFile: the path of a PEM file with the relay's certificate, then those that lead to an authority.
  ///   - keyFile: the path of a PEM file with the private key.
  /// - Throws: ``RelayError`` of kind `badCertificate`, which names the file.
  public init(certificateFile: String, keyFile: String) throws(RelayError) {
    func reading<Value>(
      _ file: String, _ why: String, _ body: () throws -> Value
    ) throws(RelayError) -> Value {
      do {
        return try body()
      } catch {
        throw RelayError(.badCertificate, "\(file): \(why)")
      }
    }
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    let chain = try reading(certificateFile, "can't read a certificate in PEM form.") {
      try NIOSSLCertificate.fromPEMFile(certificateFile)
    }
    guard let own = chain.first else {
      throw RelayError(.badCertificate, "\(certificateFile): no certificate is in it.")
    }
    let key = try reading(keyFile, "can't read a private key in PEM form.") {
      try NIOSSLPrivateKey(file: keyFile, format: .pem)
    }
    (context, fingerprint) = try reading(keyFile, "isn't the key of \(certificateFile).") {
      let settings = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      return (
        try NIOSSLContext(configuration: settings),
        CertificateFingerprint(ofCertificate: try own.toDERBytes())
      )
    }
  }
}
