/// The attributes of one HLS tag, `NAME=value,NAME="value"` (RFC 8216 §4.2), read once from left to right.
struct AttributeList: Hashable, Sendable {
  private var values: [String: String] = [:]

  /// The maximum number of attributes, more than any tag has.
  private static let limit = 64

  /// - Parameter text: the text after the tag's name and colon. Text that isn't an attribute is skipped up to the next
  ///   comma.
  init(_ text: Substring.UTF8View) {
    var rest = text[...]
    while !rest.isEmpty, values.count < Self.limit {
      let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
      rest = rest.dropFirst(name.count)
      guard rest.first == UInt8(ascii: "=") else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst()
      let value: Substring.UTF8View.SubSequence
      if rest.first == UInt8(ascii: "\"") {
        value = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
        rest = rest.dropFirst(value.count + 2)
      } else {
        value = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(value.count)
      }
      rest = rest.dropFirst(while: { $0 != UInt8(ascii: ",") })
      let key = Substring(name).drop { $0 == " " }
      guard !key.isEmpty, key.utf8.allSatisfy(Self.isNameByte) else { continue }
      if values[String(key)] == nil { values[String(key)] = String(Substring(value)) }
    }
  }

  subscript(_ name: String) -> String? { values[name] }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension Collection {
  /// Drops up to and including the first element that doesn't fulfil `isDropped`.
  fileprivate func dropFirst(while isDropped: (Element) -> Bool) -> SubSequence {
    drop(while: isDropped).dropFirst()
  }
}
