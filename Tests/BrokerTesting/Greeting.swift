import Foundation
import GroupActivities
import NATSProtocol

/// The first messages of a NATS client, made by hand.
package struct Greeting {
  package var key: AdmissionKey
  /// The JSON members besides the key and the signature.
  package var options = #""verbose":false,"pedantic":false"#

  package init(key: AdmissionKey) { self.key = key }

  package var nkey: String { NKey.text(of: key.publicKey, role: .user) }

  /// Returns the signature in Base64 with the URL alphabet without padding, as clients send it.
  package func signature(of nonce: String) throws -> String {
    try signatureData(of: nonce).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  package func signatureData(of nonce: String) throws -> Data {
    Data(try key.signature(for: Array(nonce.utf8)))
  }

  /// Returns the CONNECT line.
  package func line(nonce: String) throws -> String {
    "CONNECT {\(options),\"nkey\":\"\(nkey)\",\"sig\":\"\(try signature(of: nonce))\"}\r\n"
  }

  /// The beginning of the party's subjects.
  package var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  /// Returns the members of an INFO line, as text.
  package static func info(from line: [UInt8]) throws -> [String: String] {
    guard line.starts(with: Array("INFO ".utf8)),
      let object = try JSONSerialization.jsonObject(with: Data(line.dropFirst(5)))
        as? [String: Any]
    else { throw TestFailure("no INFO: \(String(decoding: line, as: UTF8.self))") }
    return object.mapValues { "\($0)" }
  }
}

extension PlainSocket {
  /// Reads INFO and removes it from the received bytes.
  package func readInfo() throws -> [String: String] {
    let bytes = try read(until: "\r\n")
    let end = bytes.firstRange(of: Array("\r\n".utf8))!.lowerBound
    forget()
    return try Greeting.info(from: Array(bytes[..<end]))
  }

  package func readNonce() throws -> String {
    guard let nonce = try readInfo()["nonce"] else {
      throw TestFailure("the server sent no nonce")
    }
    return nonce
  }

  /// Connects with `greeting` and waits for the answer.
  package func greet(_ greeting: Greeting) throws {
    send(try greeting.line(nonce: try readNonce()) + "PING\r\n")
    try read(until: "PONG\r\n")
    forget()
  }
}
