/// A message of STUN (RFC 8489), as far as a participant needs it to learn its public address: binding requests and
/// their responses, without credentials.
///
/// The parser accepts arbitrary bytes. It reads them once, and its result is never larger than its input.
package struct STUNMessage: Hashable, Sendable {
  /// The kinds of messages that are read; all others are malformed.
  package enum Kind: UInt16, Hashable, Sendable, CaseIterable {
    /// A question for the address from which it comes.
    case bindingRequest = 0x0001
    /// The answer.
    case bindingResponse = 0x0101
    /// The refusal of an answer.
    case bindingError = 0x0111
  }

  /// The number of a question, which its answer repeats: 96 random bits.
  package struct TransactionID: Hashable, Sendable {
    package let high: UInt32
    package let low: UInt64

    package init(high: UInt32, low: UInt64) {
      self.high = high
      self.low = low
    }

    /// Takes a number at random.
    package init(using random: inout some RandomNumberGenerator) {
      self.init(high: UInt32(truncatingIfNeeded: random.next()), low: random.next())
    }
  }

  package var kind: Kind
  package var transaction: TransactionID
  /// The XOR-MAPPED-ADDRESS: the sender's address, as the server sees it.
  package var mappedAddress: SocketAddress?
  /// The OTHER-ADDRESS (RFC 5780): another port of the server. With an unspecified IP address it is the one of the
  /// server to which the request was sent.
  package var otherAddress: SocketAddress?
  /// A Boolean value that indicates whether the message has a FINGERPRINT.
  package var hasFingerprint: Bool
  /// Attributes that a receiver must understand, and this one doesn't: up to ``attributeLimit``.
  package private(set) var unknownAttributes: [UInt16] = []
  /// The number of bytes that fill a request, so that a longer response isn't longer than its request.
  package var paddingCount = 0

  /// The bytes of the longest message that is read: one that every network carries in one piece.
  package static let sizeLimit = 548
  /// The greatest number of attributes in a message.
  package static let attributeLimit = 32

  static let cookie: UInt32 = 0x2112_a442
  private static let headerSize = 20
  private static let fingerprintMask: UInt32 = 0x5354_554e

  private enum Attribute {
    static let mappedAddress: UInt16 = 0x0020
    static let otherAddress: UInt16 = 0x802c
    static let fingerprint: UInt16 = 0x8028
    /// A range for experiments (RFC 8489 §18.3): servers that don't know the attribute ignore it.
    static let padding: UInt16 = 0xc0de
    /// Attributes of credentials, which an open server needn't look at: USERNAME, MESSAGE-INTEGRITY, REALM, NONCE,
    /// MESSAGE-INTEGRITY-SHA256, USERHASH.
    static let credentials: Set<UInt16> = [0x0006, 0x0008, 0x0014, 0x0015, 0x001c, 0x001e]
  }

  package init(
    _ kind: Kind, _ transaction: TransactionID, mappedAddress: SocketAddress? = nil,
    otherAddress: SocketAddress? = nil, hasFingerprint: Bool = true
  ) {
    self.kind = kind
    self.transaction = transaction
    self.mappedAddress = mappedAddress
    self.otherAddress = otherAddress
    self.hasFingerprint = hasFingerprint
  }

  /// Returns whether bytes may be a message of STUN: its first two bits are zero, and the cookie follows. Datagrams of
  /// other protocols on the same port begin otherwise.
  package static func isLikely(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count >= headerSize, let first = bytes.first, first < 64 else { return false }
    return bytes.dropFirst(4).prefix(4).elementsEqual([0x21, 0x12, 0xa4, 0x42])
  }
}

// MARK: - Reading

extension STUNMessage {
  /// Reads a message.
  ///
  /// - Returns: nil if the bytes are no message of a known kind, if a length is wrong, or if a fingerprint is.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.sizeLimit, Self.isLikely(bytes),
      let kind = Kind(rawValue: Self.half(bytes, at: 0)),
      Int(Self.half(bytes, at: 2)) == bytes.count - Self.headerSize, bytes.count % 4 == 0
    else { return nil }
    let transaction = TransactionID(
      high: Self.word(bytes, at: 8),
      low: UInt64(Self.word(bytes, at: 12)) << 32 | UInt64(Self.word(bytes, at: 16)))
    self.init(kind, transaction, hasFingerprint: false)
    var offset = Self.headerSize
    var count = 0
    while offset < bytes.count {
      count += 1
      guard count <= Self.attributeLimit, bytes.count - offset >= 4, !hasFingerprint else {
        return nil
      }
      let type = Self.half(bytes, at: offset)
      let length = Int(Self.half(bytes, at: offset + 2))
      let next = offset + 4 + (length + 3) / 4 * 4
      guard next <= bytes.count else { return nil }
      let value = bytes[(offset + 4)..<(offset + 4 + length)]
      guard read(type, value, before: bytes[..<offset]) else { return nil }
      offset = next
    }
  }

  /// - Returns: false if the attribute makes the message malformed.
  private mutating func read(
    _ type: UInt16, _ value: ArraySlice<UInt8>, before: ArraySlice<UInt8>
  ) -> Bool {
    switch type {
    case Attribute.mappedAddress:
      guard let address = Self.address(value, mask: mask) else { return false }
      // Only the first of several counts (RFC 8489 §14).
      mappedAddress = mappedAddress ?? address
    case Attribute.otherAddress:
      guard let address = Self.address(value, mask: []) else { return false }
      otherAddress = otherAddress ?? address
    case Attribute.fingerprint:
      guard value.count == 4,
        Self.word(Array(value), at: 0) == CRC32.checksum(before) ^ Self.fingerprintMask
      else { return false }
      hasFingerprint = true
    case Attribute.padding: paddingCount += value.count
    default:
      if type < 0x8000, !Attribute.credentials.contains(type) { unknownAttributes.append(type) }
    }
    return true
  }

  private static func half(_ bytes: [UInt8], at offset: Int) -> UInt16 {
    UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    UInt32(half(bytes, at: offset)) << 16 | UInt32(half(bytes, at: offset + 2))
  }

  /// Reads an address whose port and IP address are combined with a mask by exclusive or.
  private static func address(_ value: ArraySlice<UInt8>, mask: [UInt8]) -> SocketAddress? {
    guard value.count >= 8 else { return nil }
    let bytes = Array(value)
    let size = bytes[1] == 1 ? 4 : bytes[1] == 2 ? 16 : 0
    guard size > 0, bytes.count == 4 + size else { return nil }
    let port = half(masked(bytes[2..<4], mask), at: 0)
    return SocketAddress(masked(bytes[4...], mask), port: port)
  }

  private static func masked(_ bytes: ArraySlice<UInt8>, _ mask: [UInt8]) -> [UInt8] {
    mask.isEmpty ? Array(bytes) : zip(bytes, mask).map { $0 ^ $1 }
  }

  /// The cookie and the number of the question.
  private var mask: [UInt8] { Self.bytes(Self.cookie) + transactionBytes }

  private var transactionBytes: [UInt8] {
    Self.bytes(transaction.high) + Self.bytes(UInt32(truncatingIfNeeded: transaction.low >> 32))
      + Self.bytes(UInt32(truncatingIfNeeded: transaction.low))
  }
}

// MARK: - Writing

extension STUNMessage {
  /// The message's bytes.
  package var bytes: [UInt8] {
    var attributes: [UInt8] = []
    if let mappedAddress {
      Self.write(mappedAddress, Attribute.mappedAddress, mask: mask, to: &attributes)
    }
    if let otherAddress {
      Self.write(otherAddress, Attribute.otherAddress, mask: [], to: &attributes)
    }
    if paddingCount > 0 {
      Self.write([UInt8](repeating: 0, count: paddingCount), Attribute.padding, to: &attributes)
    }
    let size = attributes.count + (hasFingerprint ? 8 : 0)
    var bytes = Self.bytes(kind.rawValue) + Self.bytes(UInt16(truncatingIfNeeded: size))
    bytes += Self.bytes(Self.cookie) + transactionBytes + attributes
    if hasFingerprint {
      let checksum = CRC32.checksum(bytes) ^ Self.fingerprintMask
      Self.write(Self.bytes(checksum), Attribute.fingerprint, to: &bytes)
    }
    return bytes
  }

  private static func write(
    _ address: SocketAddress, _ type: UInt16, mask: [UInt8], to bytes: inout [UInt8]
  ) {
    let value =
      [0, address.isIPv6 ? 2 : 1] + masked(Self.bytes(address.port)[...], mask)
      + masked(address.bytes[...], mask)
    write(value, type, to: &bytes)
  }

  private static func write(_ value: [UInt8], _ type: UInt16, to bytes: inout [UInt8]) {
    bytes += Self.bytes(type) + Self.bytes(UInt16(truncatingIfNeeded: value.count)) + value
    bytes += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    bytes(UInt16(truncatingIfNeeded: number >> 16)) + bytes(UInt16(truncatingIfNeeded: number))
  }
}
