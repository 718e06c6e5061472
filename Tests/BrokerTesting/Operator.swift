import Crypto
import Foundation
import NATSProtocol

/// An operator of NATS servers that admits clients by JWT, with one account and its users, all with
/// keys of their own (the format of `github.com/nats-io/jwt`, version 2).
package struct Operator {
  private let key = Curve25519.Signing.PrivateKey()
  private let account = Curve25519.Signing.PrivateKey()

  package init() {}

  /// The lines with which a nats-server trusts this operator and knows the account.
  package var serverSettings: String {
    get throws {
      let own = try jwt(
        of: key, .operator, by: key, .operator, ["type": "operator", "version": 2])
      let theirs = try jwt(
        of: account, .account, by: key, .operator,
        [
          "type": "account", "version": 2,
          "limits": [
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1,
          ],
        ])
      let name = NKey.text(of: Array(account.publicKey.rawRepresentation), role: .account)
      return """
        operator: "\(own)"
        resolver: MEMORY
        resolver_preload: { \(name): "\(theirs)" }
        """
    }
  }

  /// Returns a user's credentials, as in a `.creds` file.
  ///
  /// - Parameter subjects: the subjects that the user may publish and subscribe to.
  package func credentials(
    subjects: [String] = ["matinee.>", "_INBOX.>"], expiry: Date? = nil
  ) throws -> String {
    let user = Curve25519.Signing.PrivateKey()
    var token = try jwt(
      of: user, .user, by: account, .account,
      [
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        "pub": ["allow": subjects], "sub": ["allow": subjects],
      ], expiry: expiry)
    // In lines, as some tools write them.
    token.insert("\n", at: token.index(token.startIndex, offsetBy: 64))
    return """
      -----BEGIN NATS USER JWT-----
      \(token)
      ------END NATS USER JWT------

      ************************* IMPORTANT *************************
      NKEY Seed printed below can be used to sign and prove identity.

      -----BEGIN USER NKEY SEED-----
      \(NKey.text(ofSeed: Array(user.rawRepresentation), role: .user))
      ------END USER NKEY SEED------
      """
  }

  private func jwt(
    of subject: Curve25519.Signing.PrivateKey, _ role: NKey.Role,
    by issuer: Curve25519.Signing.PrivateKey, _ issuerRole: NKey.Role, _ claims: [String: Any],
    expiry: Date? = nil
  ) throws -> String {
    func text(_ key: Curve25519.Signing.PrivateKey, _ role: NKey.Role) -> String {
      NKey.text(of: Array(key.publicKey.rawRepresentation), role: role)
    }
    var all: [String: Any] = [
      "jti": UUID().uuidString, "iat": Int(Date().timeIntervalSince1970), "name": "test",
      "iss": text(issuer, issuerRole), "sub": text(subject, role), "nats": claims,
    ]
    if let expiry { all["exp"] = Int(expiry.timeIntervalSince1970) }
    let head = try base64(["typ": "JWT", "alg": "ed25519-nkey"])
    let signed = head + "." + (try base64(all))
    return signed + "." + base64(try issuer.signature(for: Data(signed.utf8)))
  }

  private func base64(_ object: [String: Any]) throws -> String {
    base64(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]))
  }

  private func base64(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
