/// Writes frequent messages in few bytes.
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }
  mutating func word(_ value: UInt64) { bytes += value.bigEndianBytes }
  mutating func half(_ value: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { byte(UInt8(truncatingIfNeeded: value >> shift)) }
  }
  mutating func word(_ value: Int64) { word(UInt64(bitPattern: value)) }

  /// Writes a number with seven bits per byte, the lowest first (LEB128).
  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func id(_ value: Participant.ID) {
    word(value.high)
    word(value.low)
  }

  /// Writes bytes with their length before them.
  mutating func block(_ value: some Collection<UInt8>) {
    number(UInt64(value.count))
    bytes += value
  }
}

/// Reads the format of ``BinaryWriter`` from untrusted bytes.
struct BinaryReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() throws(WireMessageError) -> UInt8 {
    guard let value = rest.popFirst() else { throw .malformed }
    return value
  }

  mutating func word() throws(WireMessageError) -> UInt64 {
    UInt64(bigEndianBytes: try take(8))
  }

  mutating func half() throws(WireMessageError) -> UInt32 {
    try take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func signedWord() throws(WireMessageError) -> Int64 { Int64(bitPattern: try word()) }

  mutating func number() throws(WireMessageError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try byte()
      // The tenth byte has room for one bit.
      guard shift < 63 || byte <= 1 else { throw .malformed }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed
  }

  mutating func id() throws(WireMessageError) -> Participant.ID {
    Participant.ID(high: try word(), low: try word())
  }

  mutating func block(limit: Int) throws(WireMessageError) -> [UInt8] {
    let count = try number()
    guard count <= UInt64(limit) else { throw .malformed }
    return Array(try take(Int(count)))
  }

  private mutating func take(_ count: Int) throws(WireMessageError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
