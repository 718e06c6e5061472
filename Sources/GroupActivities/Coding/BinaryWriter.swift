/// Writes values in the wire's canonical form: `Wire.md` describes it.
package struct BinaryWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes eight bytes, the highest first.
  package mutating func word(_ value: UInt64) { bytes += value.bigEndianBytes }

  /// Writes eight bytes in two's complement, the highest first.
  package mutating func word(_ value: Int64) { word(UInt64(bitPattern: value)) }

  /// Writes four bytes, the highest first.
  mutating func half(_ value: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { byte(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Writes the eight bytes of an IEEE 754 number, the highest first.
  package mutating func double(_ value: Double) { word(value.bitPattern) }

  /// Writes a number with seven bits per byte, the lowest first (LEB128).
  package mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes the number of elements that follow, or another number that is never negative.
  package mutating func count(_ value: Int) { number(UInt64(value)) }

  /// Writes a number that may be negative: 0, −1, 1, −2 … become 0, 1, 2, 3 … (ZigZag).
  package mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: value) << 1 ^ UInt64(bitPattern: value >> 63))
  }

  /// Writes bytes with their number before them.
  package mutating func block(_ value: some Collection<UInt8>) {
    count(value.count)
    bytes += value
  }

  /// Writes a text in UTF-8, as a block.
  package mutating func text(_ value: String) { block(value.utf8) }

  /// Writes bytes whose number the reader knows.
  package mutating func fixed(_ value: some Collection<UInt8>) { bytes += value }

  /// Writes a value's index in a list whose order never changes.
  package mutating func choice<Value: Equatable>(_ value: Value, of list: [Value]) {
    guard let index = list.firstIndex(of: value) else {
      preconditionFailure("\(value) isn't in \(list)")
    }
    byte(UInt8(index))
  }

  /// Writes a byte whose lowest bit is the first Boolean value.
  package mutating func flags(_ values: Bool...) {
    precondition(values.count <= 8, "a byte has eight bits")
    byte(values.indices.reduce(0) { $0 | (values[$1] ? 1 << UInt8($1) : 0) })
  }

  package mutating func value(_ value: some BinaryCodable) { value.write(to: &self) }

  /// Writes values with their number before them.
  package mutating func list(_ values: some Collection<some BinaryCodable>) {
    count(values.count)
    for value in values { value.write(to: &self) }
  }
}
