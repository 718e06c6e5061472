import ArgumentParser
import Relay

/// The certificate of this program's relay.
struct CertificateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Require TLS, with this certificate (PEM).",
      discussion: "In the file, the certificates that lead to an authority follow it, if any.",
      valueName: "file"),
    completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp("The private key of that certificate (PEM).", valueName: "file"),
    completion: .file())
  var tlsKey: String?

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key need each other.")
    }
  }

  /// Reads the files.
  ///
  /// - Returns: nil without the options.
  /// - Throws: `RelayError`.
  func certificate() throws(RelayError) -> RelayCertificate? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return try RelayCertificate(certificateFile: tlsCertificate, keyFile: tlsKey)
  }

  /// Reads the files, or prints the reason why it can't.
  func certificateOrExit() throws -> RelayCertificate? {
    do throws(RelayError) {
      return try certificate()
    } catch {
      ExitStatus.printError(error.description)
      throw ExitStatus.of(error)
    }
  }
}
