import CSDBus
import Foundation

/// Conversion between sd-bus's messages and the module's values. Only the bus's thread uses it.
enum BusMessage {
  /// The largest number of list elements that are read from one caller.
  private static let elementLimit = 1024

  /// Returns the parts of a call; arguments of unsupported types are read as ``BusValue/other(signature:)``.
  static func call(_ message: OpaquePointer) -> BusCall? {
    guard let path = text(sd_bus_message_get_path(message)),
      let member = text(sd_bus_message_get_member(message))
    else { return nil }
    let signature = text(sd_bus_message_get_signature(message, 1)) ?? ""
    var arguments: [BusValue] = []
    while let argument = read(message) {
      arguments.append(argument)
      if arguments.count == 8 { break }
    }
    return BusCall(
      path: path, interface: text(sd_bus_message_get_interface(message)), member: member,
      signature: signature, arguments: arguments)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// Reads a value.
  ///
  /// - Returns: the next value; nil at the end, and for a value that can't be read.
  private static func read(_ message: OpaquePointer, depth: Int = 0) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    let letter = Character(Unicode.Scalar(UInt8(bitPattern: type)))
    switch letter {
    case "b":
      var value: CInt = 0
      return basic(message, type, &value) ? .bool(value != 0) : nil
    case "i":
      var value: Int32 = 0
      return basic(message, type, &value) ? .int32(value) : nil
    case "u":
      var value: UInt32 = 0
      return basic(message, type, &value) ? .uint32(value) : nil
    case "x":
      var value: Int64 = 0
      return basic(message, type, &value) ? .int64(value) : nil
    case "d":
      var value = 0.0
      return basic(message, type, &value) ? .double(value) : nil
    case "s", "o":
      var value: UnsafePointer<CChar>?
      guard basic(message, type, &value), let value else { return nil }
      return letter == "s"
        ? .string(String(cString: value)) : .objectPath(String(cString: value))
    case "v" where depth == 0, "a" where depth == 0:
      let element = text(contents) ?? ""
      guard letter == "v" || element == "o" || element == "s" else {
        return skip(message, signature: "a" + element)
      }
      guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
      var values: [BusValue] = []
      while values.count < elementLimit, let value = read(message, depth: depth + 1) {
        values.append(value)
      }
      while sd_bus_message_at_end(message, 0) == 0 {
        guard sd_bus_message_skip(message, nil) > 0 else { return nil }
      }
      guard sd_bus_message_exit_container(message) >= 0 else { return nil }
      if letter == "v" { return values.first.map { .variant($0) } }
      return .array(of: element, values)
    default:
      let whole = (letter == "r" ? "(" : String(letter)) + (text(contents) ?? "")
      return skip(message, signature: whole)
    }
  }

  private static func basic<Value>(
    _ message: OpaquePointer, _ type: CChar, _ value: inout Value
  ) -> Bool {
    withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(message, type, $0) > 0 }
  }

  private static func skip(_ message: OpaquePointer, signature: String) -> BusValue? {
    sd_bus_message_skip(message, nil) > 0 ? .other(signature: signature) : nil
  }

  // MARK: - Writing

  /// Appends values to a message.
  ///
  /// - Returns: sd-bus's status, below zero for a failure.
  static func append(_ values: [BusValue], to message: OpaquePointer) -> CInt {
    for value in values {
      let status = append(value, to: message)
      guard status >= 0 else { return status }
    }
    return 0
  }

  private static func append(_ value: BusValue, to message: OpaquePointer) -> CInt {
    switch value {
    case .bool(let flag): basic(message, "b", CInt(flag ? 1 : 0))
    case .int32(let number): basic(message, "i", number)
    case .uint32(let number): basic(message, "u", number)
    case .int64(let number): basic(message, "x", number)
    case .double(let number): basic(message, "d", number)
    case .string(let text): sd_bus_message_append_basic(message, letter("s"), text)
    case .objectPath(let path): sd_bus_message_append_basic(message, letter("o"), path)
    case .variant(let inner):
      container("v", inner.signature, message) { append(inner, to: message) }
    case .array(let element, let values):
      container("a", element, message) { append(values, to: message) }
    case .dictionary(let entries):
      container("a", "{sv}", message) {
        // In the order of their names: equal values make equal messages.
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
          let status = container("e", "sv", message) {
            append([.string(key), .variant(value)], to: message)
          }
          guard status >= 0 else { return status }
        }
        return 0
      }
    case .other: -EINVAL
    }
  }

  private static func letter(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }

  private static func basic<Value>(
    _ message: OpaquePointer, _ type: Unicode.Scalar, _ value: Value
  ) -> CInt {
    withUnsafePointer(to: value) { sd_bus_message_append_basic(message, letter(type), $0) }
  }

  private static func container(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ body: () -> CInt
  ) -> CInt {
    var status = sd_bus_message_open_container(message, letter(type), contents)
    guard status >= 0 else { return status }
    status = body()
    guard status >= 0 else { return status }
    return sd_bus_message_close_container(message)
  }
}
