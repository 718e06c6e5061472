import Crypto
import FoundationEssentials
import NKeys

extension ConnectOptions {
  /// The key that the client claims to hold; nil if there is none or its text is damaged.
  var claimedKey: [UInt8]? { NKey.publicKey(from: nkey.utf8, role: .user) }

  /// Returns a Boolean value that indicates whether the client proved that it holds the key, by its
  /// signature of the nonce's ASCII bytes.
  func proves(_ key: [UInt8], nonce: String) -> Bool {
    guard let signature = Data(lenientBase64: signature), signature.count == 64,
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
