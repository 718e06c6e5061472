/// Returns bytes in double quotes as Go's `%q` writes them, which is how `nats-server` words
/// subjects in its errors. All bytes that a terminal could take for more than text are escaped.
func goQuoted(_ bytes: [UInt8]) -> String {
  var result = "\""
  var rest = bytes[...]
  while let byte = rest.first {
    guard byte >= 0x80 else {
      result += goEscaped(byte)
      rest = rest.dropFirst()
      continue
    }
    // A complete valid scalar is kept if it is visible; otherwise its bytes are escaped.
    let scalar = rest.prefix(4).indices.lazy.compactMap { end in
      String(validating: rest[rest.startIndex...end], as: UTF8.self)?.unicodeScalars.first
    }.first
    if let scalar, scalar.isVisible {
      result.unicodeScalars.append(scalar)
      rest = rest.dropFirst(UTF8.width(scalar))
    } else if let scalar {
      let digits = String(scalar.value, radix: 16)
      let width = scalar.value > 0xffff ? 8 : 4
      result += width == 8 ? "\\U" : "\\u"
      result += String(repeating: "0", count: width - digits.count) + digits
      rest = rest.dropFirst(UTF8.width(scalar))
    } else {
      result += "\\x" + String(byte, radix: 16)
      rest = rest.dropFirst()
    }
  }
  return result + "\""
}

private func goEscaped(_ byte: UInt8) -> String {
  switch byte {
  case UInt8(ascii: "\""): "\\\""
  case UInt8(ascii: "\\"): "\\\\"
  case 0x07: "\\a"
  case 0x08: "\\b"
  case 0x0c: "\\f"
  case 0x0a: "\\n"
  case 0x0d: "\\r"
  case 0x09: "\\t"
  case 0x0b: "\\v"
  case 0x00...0x0f: "\\x0" + String(byte, radix: 16)
  case 0x10...0x1f, 0x7f: "\\x" + String(byte, radix: 16)
  default: String(UnicodeScalar(byte))
  }
}

extension Unicode.Scalar {
  /// Letters, marks, numbers, punctuation and symbols: Go's `unicode.IsPrint` beyond ASCII.
  fileprivate var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      false
    default: true
    }
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int { scalar.utf8.count }
}
