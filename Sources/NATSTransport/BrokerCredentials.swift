import Crypto
import Foundation
import NATSProtocol

/// The credentials that a NATS cluster's operator issues to its users, from a file: a user's JWT
/// with the seed of its key (a `.creds` file, as `nsc` writes it), or only the seed, for servers
/// that know the key itself.
///
/// The seed stays in this type: neither the descriptions nor any error repeats the file's content.
public struct BrokerCredentials: Sendable, CustomStringConvertible {
  /// The reason why a file can't be used, as text for the user who named it.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason with the file's path, as a sentence. It never repeats the file's content.
    public let description: String
  }

  /// The file's path, the only part that is shown.
  public let path: String
  /// A Boolean value that indicates whether users other than the file's owner may read it.
  public let isReadableByOthers: Bool
  let jwt: String?
  /// The time when the JWT expires; nil for never.
  let expiry: Date?
  private let key: Curve25519.Signing.PrivateKey

  /// A `.creds` file has some 1,100 bytes.
  private static let sizeLimit = 64 << 10

  /// Reads a file of credentials, its first 64 KiB. A file without a JWT needs only the seed.
  ///
  /// - Throws: ``Failure`` if the file can't be read, contains no user's seed, or contains a
  ///   damaged JWT. The JWT's signature and expiry aren't checked here.
  public init(contentsOf path: String) throws(Failure) {
    let text: String
    let mode: Int
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      text = String(decoding: try handle.read(upToCount: Self.sizeLimit) ?? Data(), as: UTF8.self)
      mode =
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    } catch {
      throw Failure(
        description: "The credentials file \(path) can't be read: \(Self.reason(error))")
    }
    let lines = text.split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard let seed = lines.lazy.compactMap({ NKey.seed(from: $0.utf8, role: .user) }).first,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else {
      throw Failure(
        description: "\(path) contains no NKEY seed of a user (58 characters, beginning with SU). "
          + "Ask the relay's operator for a .creds file.")
    }
    self.path = path
    self.key = key
    isReadableByOthers = mode & 0o044 != 0
    jwt = try Self.jwt(in: lines, of: path)
    expiry = jwt.flatMap(Self.expiry)
  }

  public var description: String { "the credentials in \(path)" }

  /// The public key's text, which begins with `U`.
  var nkey: String { NKey.text(of: Array(key.publicKey.rawRepresentation), role: .user) }

  /// Returns the signature of the nonce: 64 bytes.
  func signature(for nonce: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: nonce)) }

  private static func jwt(in lines: [String], of path: String) throws(Failure) -> String? {
    guard let begin = lines.firstIndex(where: { $0.contains("BEGIN NATS USER JWT") }) else {
      return nil
    }
    let isPartOfJWT: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    let jwt = lines[(begin + 1)...].prefix { !$0.contains("END NATS USER JWT") }.joined()
    // The JWT becomes part of a line of the protocol.
    guard !jwt.isEmpty, jwt.utf8.allSatisfy(isPartOfJWT), jwt.split(separator: ".").count == 3
    else {
      throw Failure(
        description:
          "The JWT in \(path) is damaged. Ask the relay's operator for a new .creds file.")
    }
    return jwt
  }

  /// Returns the claim `exp`. The client doesn't check the signature: the server checks it, and
  /// refuses a wrong one.
  private static func expiry(of jwt: String) -> Date? {
    var claims = jwt.split(separator: ".")[1]
      .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    claims += String(repeating: "=", count: (4 - claims.count % 4) % 4)
    guard let data = Data(base64Encoded: claims),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let seconds = (object["exp"] as? NSNumber)?.doubleValue, seconds > 0
    else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let code = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? error.code
    return error.domain == NSCocoaErrorDomain && error.code == NSFileReadNoSuchFileError
      ? "no such file"
      : error.userInfo[NSUnderlyingErrorKey] == nil
        ? error.localizedDescription : String(cString: strerror(CInt(code)))
  }
}
