/// Collects bytes for the terminal.
struct ControlBytes {
  private(set) var bytes: [UInt8] = []

  /// The decimal digits of 0 to 999, four bytes each: their count, then the digits.
  private static let digits: [UInt8] = (0..<1000).flatMap { number -> [UInt8] in
    let text = Array(String(number).utf8)
    return [UInt8(text.count)] + text + [UInt8](repeating: 0, count: 3 - text.count)
  }

  /// Removes the bytes. The memory is kept from one frame to the next.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  @inline(__always)
  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func append(_ values: ArraySlice<UInt8>) { bytes.append(contentsOf: values) }

  mutating func text(_ value: StaticString) {
    value.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  @inline(__always)
  mutating func decimal(_ value: Int) {
    guard value < 1000 else { return bytes.append(contentsOf: String(value).utf8) }
    Self.digits.withUnsafeBufferPointer { digits in
      let at = 4 * value
      let count = digits[at]
      bytes.append(digits[at + 1])
      if count > 1 { bytes.append(digits[at + 2]) }
      if count > 2 { bytes.append(digits[at + 3]) }
    }
  }

  /// Appends a character in UTF-8.
  @inline(__always)
  mutating func character(_ scalar: UInt32) {
    guard let encoded = Unicode.Scalar(scalar).flatMap({ UTF8.encode($0) }) else { return }
    bytes.append(contentsOf: encoded)
  }

  /// Appends bytes for tmux's own terminal.
  ///
  /// - Parameters:
  ///   - isNeeded: false appends them for the terminal itself.
  ///   - body: appends a sequence.
  mutating func passThroughTmux(
    if isNeeded: Bool = true, _ body: (inout ControlBytes) -> Void
  ) {
    let start = bytes.count
    body(&self)
    guard isNeeded else { return }
    bytes.replaceSubrange(start..., with: TmuxPassthrough.wrapped(bytes[start...]))
  }

  /// Appends one of the block elements, U+2580 to U+259F.
  @inline(__always)
  mutating func block(_ low: UInt8) {
    bytes.append(0xE2)
    bytes.append(0x96)
    bytes.append(low)
  }
}
