/// Reads the format of ``BinaryWriter`` from untrusted bytes. Each value has one form: any other is malformed.
package struct BinaryReader: Sendable {
  /// The bytes that weren't read yet.
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  package mutating func byte() throws(WireError) -> UInt8 {
    guard let value = rest.popFirst() else { throw .malformed }
    return value
  }

  package mutating func word() throws(WireError) -> UInt64 {
    UInt64(bigEndianBytes: try take(8))
  }

  package mutating func signedWord() throws(WireError) -> Int64 { Int64(bitPattern: try word()) }

  mutating func half() throws(WireError) -> UInt32 {
    try take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads a finite number. Negative zero is malformed: it equals zero, which has another form.
  package mutating func double() throws(WireError) -> Double {
    let value = Double(bitPattern: try word())
    guard value.isFinite, value != 0 || value.sign == .plus else { throw .malformed }
    return value
  }

  /// Reads a number in as few bytes as possible; one with more is malformed.
  package mutating func number() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try byte()
      // The tenth byte has room for one bit. A last byte of zero adds nothing.
      guard shift < 63 || byte <= 1, byte > 0 || shift == 0 else { throw .malformed }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed
  }

  package mutating func signed() throws(WireError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a number that fits into 63 bits.
  package mutating func nonnegative() throws(WireError) -> Int64 {
    guard let value = Int64(exactly: try number()) else { throw .malformed }
    return value
  }

  package mutating func count(limit: Int) throws(WireError) -> Int {
    let value = try number()
    guard value <= UInt64(limit) else { throw .malformed }
    return Int(value)
  }

  package mutating func block(limit: Int) throws(WireError) -> [UInt8] {
    Array(try take(try count(limit: limit)))
  }

  package mutating func text(limit: Int) throws(WireError) -> String {
    guard let text = String(validating: try block(limit: limit), as: UTF8.self) else {
      throw .malformed
    }
    return text
  }

  package mutating func fixed(_ count: Int) throws(WireError) -> [UInt8] { Array(try take(count)) }

  /// Reads the rest, which has no length before it.
  package mutating func remainder(limit: Int) throws(WireError) -> [UInt8] {
    guard rest.count <= limit else { throw .malformed }
    defer { rest = [] }
    return Array(rest)
  }

  /// Reads a value of a list whose order never changes.
  ///
  /// - Parameter name: the name of the list's values, for users.
  /// - Throws: ``WireError/unknown(_:)`` for a value that only a newer version knows.
  package mutating func choice<Value>(of list: [Value], _ name: String) throws(WireError) -> Value {
    let index = Int(try byte())
    guard list.indices.contains(index) else { throw .unknown("\(name) \(index)") }
    return list[index]
  }

  /// Reads a byte with as many flags, the lowest bit first. The other bits are zero.
  package mutating func flags(_ count: Int) throws(WireError) -> [Bool] {
    let byte = try byte()
    guard count == 8 || byte >> UInt8(count) == 0 else { throw .malformed }
    return (0..<count).map { byte >> UInt8($0) & 1 == 1 }
  }

  package mutating func flag() throws(WireError) -> Bool { try flags(1)[0] }

  package mutating func value<Value: BinaryCodable>(
    _ type: Value.Type = Value.self
  ) throws(WireError) -> Value {
    try Value(from: &self)
  }

  package mutating func list<Value: BinaryCodable>(
    of type: Value.Type = Value.self, limit: Int
  ) throws(WireError) -> [Value] {
    let count = try count(limit: limit)
    var values: [Value] = []
    for _ in 0..<count { values.append(try Value(from: &self)) }
    return values
  }

  private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
