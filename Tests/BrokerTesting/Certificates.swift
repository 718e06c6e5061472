import Foundation
import ProcessTesting

/// A certificate authority of the test's own, made by `openssl`.
package struct Certificates: Sendable {
  private let folder: URL

  package init() throws {
    folder = try URL.newFolder("certificates")
    try openssl(
      ["req", "-x509"] + Self.newKey + ["-keyout", file("ca.key"), "-out", authority]
        + ["-days", "2", "-subj", "/CN=The test's authority"])
  }

  /// The path of the authority's own certificate, a PEM file.
  package var authority: String { file("ca.pem") }

  package func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Returns the lines with which a nats-server uses a new certificate.
  ///
  /// - Parameters:
  ///   - names: in OpenSSL's form: `DNS:localhost`, `IP:127.0.0.1`.
  ///   - hasExpired: a Boolean value that indicates whether its validity ended in the past.
  package func serverSettings(names: [String], hasExpired: Bool = false) throws -> String {
    let (chain, key) = try files(names: names, hasExpired: hasExpired)
    return "tls { cert_file: \"\(chain)\", key_file: \"\(key)\", timeout: 10 }"
  }

  /// Makes a new certificate and its key, as PEM files.
  package func files(
    names: [String], hasExpired: Bool = false
  ) throws -> (chain: String, key: String) {
    let name = UUID().uuidString
    try openssl(
      ["req"] + Self.newKey + ["-keyout", file("\(name).key"), "-out", file("\(name).csr")]
        + ["-subj", "/CN=a server"])
    let extensions = file("\(name).ext")
    try "subjectAltName=\(names.joined(separator: ","))\n".write(
      toFile: extensions, atomically: true, encoding: .utf8)
    // `openssl x509` takes no dates in the past; `openssl ca` does, and needs a register.
    try "".write(toFile: file("\(name).index"), atomically: true, encoding: .utf8)
    try """
    [ca]
    default_ca = test
    [test]
    database = \(file("\(name).index"))
    new_certs_dir = \(folder.path)
    rand_serial = yes
    default_md = sha256
    policy = any
    [any]
    commonName = supplied
    """.write(toFile: file("\(name).conf"), atomically: true, encoding: .utf8)
    let validity =
      hasExpired
      ? ["-startdate", "200101000000Z", "-enddate", "200201000000Z"] : ["-days", "1"]
    try openssl(
      ["ca", "-batch", "-notext", "-config", file("\(name).conf"), "-in", file("\(name).csr")]
        + ["-cert", authority, "-keyfile", file("ca.key"), "-extfile", extensions]
        + ["-out", file("\(name).pem")] + validity)
    return (file("\(name).pem"), file("\(name).key"))
  }

  private static let newKey = [
    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
  ]

  private func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func openssl(_ arguments: [String]) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    guard process.waitForEnd() == 0 else {
      throw TestFailure(
        "openssl \(arguments.first ?? ""): \(String(decoding: said, as: UTF8.self))")
    }
  }
}
