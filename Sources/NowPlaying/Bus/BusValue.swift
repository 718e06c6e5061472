/// A value of D-Bus's type system, as far as MPRIS uses it (D-Bus specification, "Type System").
indirect enum BusValue: Hashable, Sendable {
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  case string(String)
  case objectPath(String)
  /// An array, with the signature of its elements.
  case array(of: String, [BusValue])
  /// Names with values of any type (`a{sv}`).
  case dictionary([String: BusValue])
  case variant(BusValue)
  /// A value of an unsupported type from another program.
  case other(signature: String)

  var signature: String {
    switch self {
    case .bool: "b"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .array(let element, _): "a" + element
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .other(let signature): signature
    }
  }

  static func strings(_ values: [String]) -> BusValue {
    .array(of: "s", values.map { .string($0) })
  }

  static func paths(_ values: [String]) -> BusValue {
    .array(of: "o", values.map { .objectPath($0) })
  }
}

/// A method call from another program.
struct BusCall: Hashable, Sendable {
  var path: String
  /// The interface; callers may leave it out.
  var interface: String?
  var member: String
  /// The signature of all arguments.
  var signature: String
  var arguments: [BusValue]
}

/// A signal to all readers.
struct BusSignal: Hashable, Sendable {
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// The error of a failed call, as its caller receives it.
struct BusError: Error, Hashable, Sendable {
  var name: String
  var message: String

  static func invalidArguments(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }

  static func failed(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
  }

  static func unknownObject(_ path: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.UnknownObject", message: "no object at \(path)")
  }

  static func unknownInterface(_ name: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.UnknownInterface", message: "no interface \(name)")
  }

  static func unknownMethod(_ name: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.UnknownMethod", message: "no method \(name)")
  }

  static func unknownProperty(_ name: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.UnknownProperty", message: "no property \(name)")
  }

  static func readOnly(_ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: message)
  }

  static let tooMuch = BusError(
    name: "org.freedesktop.DBus.Error.LimitsExceeded",
    message: "too many calls at once; try again later")
}

typealias BusAnswer = Result<[BusValue], BusError>
