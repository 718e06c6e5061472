import Foundation

/// An invite to a party: `matinee://HOST:PORT[,HOST:PORT…]/PARTY#SECRET`.
///
/// `PARTY` is the id of the creator, a hash of its public key, so that no other participant can claim to be
/// the host. `SECRET` is a ``PartySecret``. URL clients never send a fragment to a server.
public struct Invite: Hashable, Sendable {
  /// The broker's addresses, in the order in which to try them: as many as an invite may have.
  public let addresses: [Address]
  /// The creator's id, which names the party.
  public let party: Participant.ID
  /// The secret that admits to the party and decrypts its messages.
  public let secret: PartySecret

  /// Creates an invite.
  ///
  /// - Parameters:
  ///   - addresses: the broker's addresses, at least one. Those beyond the limits of ``init(_:)``, 16 addresses and 2048
  ///     bytes, are left out.
  ///   - party: the creator's identifier, which is the party's.
  ///   - secret: the party's secret.
  public init(addresses: [Address], party: Participant.ID, secret: PartySecret) {
    precondition(!addresses.isEmpty, "an invite without an address leads nowhere")
    self.addresses = Self.fitting(addresses, in: Self.lengthLimit)
    self.party = party
    self.secret = secret
  }

  /// Returns the addresses that fit into an invite, in their order, and always the first.
  ///
  /// - Parameter limit: the largest length of the invite's text, in bytes.
  static func fitting(_ addresses: [Address], in limit: Int) -> [Address] {
    var fitting: [Address] = []
    // The scheme, `://`, a slash, the party's 32 digits, `#` and the secret's 22 characters.
    var length = scheme.utf8.count + 3 + 1 + 32 + 1 + 22
    for address in addresses where fitting.count < addressLimit {
      let more = address.text.utf8.count + (fitting.isEmpty ? 0 : 1)
      guard fitting.isEmpty || length + more <= limit else { continue }
      length += more
      fitting.append(address)
    }
    return fitting
  }

  /// The invite's text, as users pass it on. It is a secret: show it to the user only.
  public var text: String {
    "\(Self.scheme)://\(addresses.map(\.text).joined(separator: ","))/\(party)#\(secret.text)"
  }

  /// Parses a pasted invite. Surrounding white space, angle brackets and quotation marks are ignored.
  ///
  /// - Throws: ``InviteError``, whose description is written for the user.
  public init(_ pasted: String) throws(InviteError) {
    let text = pasted.trimmingCharacters(in: Self.wrapping)
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.lengthLimit else { throw .tooLong }
    guard text.lowercased().hasPrefix(Self.scheme + "://") else { throw .notAnInvite }
    let rest = text.dropFirst(Self.scheme.count + 3)
    guard let hash = rest.firstIndex(of: "#") else { throw .missingSecret }
    guard let secret = PartySecret(text: rest[rest.index(after: hash)...]) else {
      throw .damagedSecret
    }
    let parts = rest[..<hash].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let party = Participant.ID(String(parts[1])) else {
      throw .damagedParty
    }
    var addresses: [Address] = []
    for part in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
      guard let address = Address(String(part)) else { throw .damagedAddress(String(part)) }
      addresses.append(address)
    }
    guard addresses.count <= Self.addressLimit else { throw .tooLong }
    self.init(addresses: addresses, party: party, secret: secret)
  }

  /// Parses the input that admits to a party that was found without its invite: the secret alone, with or
  /// without a leading `#`, or a whole invite. A whole invite to another party takes precedence over the
  /// found party. A whole invite to the found party adds its addresses to those found.
  ///
  /// - Throws: ``InviteError``, whose description is written for the user.
  public init(
    _ pasted: String, toParty party: Participant.ID, foundAt addresses: [Address]
  ) throws(InviteError) {
    let text = pasted.trimmingCharacters(in: Self.wrapping)
    guard !text.isEmpty else { throw .empty }
    guard !text.contains("/") else {
      let invite = try Invite(pasted)
      guard invite.party == party else {
        self = invite
        return
      }
      let others = invite.addresses.filter { !addresses.contains($0) }
      self = invite.at(addresses + others)
      return
    }
    guard let secret = PartySecret(text: text.hasPrefix("#") ? text.dropFirst() : text[...]) else {
      throw .damagedSecret
    }
    self.init(addresses: addresses, party: party, secret: secret)
  }

  /// Returns an invite to the same party at other addresses.
  public func at(_ addresses: [Address]) -> Invite {
    Invite(addresses: addresses, party: party, secret: secret)
  }

  static let addressLimit = 16
  /// The length of the longest text that ``init(_:)`` parses, in bytes.
  static let lengthLimit = 2048
  /// The scheme of an invite's URL, without `://`.
  public static let scheme = "matinee"
  private static let wrapping = CharacterSet.whitespacesAndNewlines
    .union(CharacterSet(charactersIn: "<>\"'`"))
}

extension Invite {
  /// A host, a port, and the security that it requires. The host is a name, an IPv4 address, or an IPv6 address, which
  /// is written in square brackets.
  public struct Address: Hashable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address without brackets, perhaps with a zone (`fe80::1%eth0`).
    public let host: String
    /// The port, from 1 to 65535.
    public let port: Int
    /// The proof of identity that the relay has to give with TLS; nil for a relay that need not have TLS.
    public let security: Security?

    /// Creates an address.
    ///
    /// - Returns: nil for a port outside 1 to 65535, or a host that is empty, longer than 255 bytes, or
    ///   contains other characters than ASCII letters, digits and `.-_:%`.
    public init?(host: String, port: Int, security: Security? = nil) {
      guard (1...65535).contains(port), !host.isEmpty, host.utf8.count <= 255,
        host.utf8.allSatisfy(Self.isHostByte)
      else { return nil }
      self.host = host
      self.port = port
      self.security = security
    }

    /// - Returns: nil unless `text` is `HOST:PORT`, with `+` and a ``Security`` behind it if TLS is required. Programs
    ///   that don't know the latter refuse it.
    public init?(_ text: String) {
      var (text, security) = (text, Security?.none)
      if let plus = text.firstIndex(of: "+") {
        guard let known = Security(String(text[text.index(after: plus)...])) else { return nil }
        security = known
        text = String(text[..<plus])
      }
      guard let colon = text.lastIndex(of: ":"),
        let port = Int(text[text.index(after: colon)...]), !text.hasSuffix(":+\(port)")
      else { return nil }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = String(host.dropFirst().dropLast())
        guard host.contains(":") else { return nil }
      } else if host.contains(":") {
        return nil
      }
      self.init(host: host, port: port, security: security)
    }

    /// The address as `HOST:PORT`, with brackets around an IPv6 address, and perhaps `+` and a ``Security``.
    public var text: String {
      let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
      return security.map { "\(place)+\($0.text)" } ?? place
    }

    /// The bytes of an IP address, 4 or 16. Nil for a name, which a name server would have to look up, and for an IPv6
    /// address with a zone, which means something on one machine only.
    var bytes: [UInt8]? {
      var four = in_addr()
      if inet_pton(AF_INET, host, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
      var six = in6_addr()
      if inet_pton(AF_INET6, host, &six) == 1 { return withUnsafeBytes(of: &six) { Array($0) } }
      return nil
    }

    /// A Boolean value that indicates whether the address means the machine on which it is used.
    var isLoopback: Bool {
      guard let bytes else { return host.lowercased() == "localhost" }
      let isMapped = bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff
      if bytes.count == 4 || isMapped { return [0, 127].contains(bytes[bytes.count - 4]) }
      return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
    }

    /// Returns whether a byte may be in a host: letters, digits, and the punctuation of names and addresses
    /// (`%` begins a zone).
    private static func isHostByte(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
  }
}

extension Invite: CustomStringConvertible {
  /// The invite without its secret, for logs and messages.
  public var description: String {
    "\(Self.scheme)://\(addresses.map(\.text).joined(separator: ","))/\(party)#…"
  }
}

/// The reason for which a text is not an invite. The descriptions never repeat the secret.
public enum InviteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is empty.
  case empty
  /// The text doesn't begin with the scheme.
  case notAnInvite
  /// There is no fragment: a shell takes `#` for the beginning of a comment.
  case missingSecret
  /// The fragment isn't a secret.
  case damagedSecret
  /// The path isn't a party's id.
  case damagedParty
  /// The text isn't an address.
  case damagedAddress(String)
  /// The text exceeds 2048 bytes or 16 addresses.
  case tooLong

  public var description: String {
    switch self {
    case .empty: "The invite is empty. Paste the whole line that begins with matinee://"
    case .notAnInvite: "That isn't an invite. An invite begins with matinee://"
    case .missingSecret:
      "The invite lacks its secret, the part after #. "
        + "Put the invite in quotation marks: without them, a shell cuts it off."
    case .damagedSecret:
      "The invite's secret, the part after #, is damaged. Copy the whole line again."
    case .damagedParty:
      "The invite's party, the part between / and #, is damaged. Copy the whole line again."
    case .damagedAddress(let address):
      "The invite's address “\(address.filter { $0.isASCII && !$0.isNewline })” isn't HOST:PORT. "
        + "Copy the whole line again."
    case .tooLong:
      "The invite is too long. Copy just the line that begins with matinee://"
    }
  }
}
