import Crypto
import FoundationEssentials

/// The members of CONNECT that have a meaning here. All others are ignored.
package struct ConnectOptions: Codable, Hashable, Sendable {
  package var nkey: String?
  package var jwt: String?
  /// The signature of the nonce.
  package var sig: String?
  package var user: String?
  package var pass: String?
  package var token: String?
  /// A Boolean value that indicates whether the client wants to receive its own messages.
  package var echo: Bool?
  // A server expects answers to everything and headers in messages if it isn't asked not to send them, and later INFO
  // lines only if the client knows version 1 of the protocol.
  private var verbose: Bool?
  private var pedantic: Bool?
  private var headers: Bool?
  private var version: Int?
  private var name: String?

  private enum CodingKeys: String, CodingKey {
    case nkey, jwt, sig, user, pass, echo, verbose, pedantic, headers, name
    case token = "auth_token"
    case version = "protocol"
  }

  /// The options of a client of this program, which proves nothing yet.
  package init() {
    (verbose, pedantic, headers, echo) = (false, false, false, false)
    version = 1
    name = "matinee"
  }

  /// Returns a signature as text for `sig`: Base64 with the URL alphabet, without padding.
  package static func text(of signature: [UInt8]) -> String {
    Data(signature).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  package func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

  package init(json: ArraySlice<UInt8>) throws(ProtocolViolation) {
    do {
      self = try JSONDecoder().decode(ConnectOptions.self, from: Data(json))
    } catch {
      throw .malformed
    }
  }

  /// The key that the client claims to hold; nil if there is none or its text is damaged.
  package var claimedKey: [UInt8]? { nkey.flatMap { NKey.publicKey(from: $0.utf8, role: .user) } }

  /// Returns a Boolean value that indicates whether the client proved that it holds the key, by its
  /// signature of the nonce's ASCII bytes.
  package func proves(_ key: [UInt8], nonce: String) -> Bool {
    guard let signature = sig.flatMap(Data.init(lenientBase64:)), signature.count == 64,
      let verifier = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
    else { return false }
    return verifier.isValidSignature(signature, for: Data(nonce.utf8))
  }
}

extension Data {
  /// Base64 in the standard or the URL alphabet, with or without padding: clients differ.
  fileprivate init?(lenientBase64 text: String) {
    var standard = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while standard.last == UInt8(ascii: "=") { standard.removeLast() }
    while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
    self.init(base64Encoded: Data(standard))
  }
}

/// The challenge that a client signs: unpredictable, and text because it is part of JSON.
package enum Nonce {
  package static func make() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var random = SystemRandomNumberGenerator()
    // Each draw is a system call: ten characters of six bits from each of two draws, and two more
    // from the third.
    let draws = (0..<3).map { _ in random.next() as UInt64 }
    let text = (0..<22).map { alphabet[Int(draws[$0 / 10] >> UInt64($0 % 10 * 6) & 63)] }
    return String(decoding: text, as: UTF8.self)
  }
}
