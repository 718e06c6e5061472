/// The refusal of a router, or a failure of the library that asks it.
public struct PortMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case noAnswer
    /// The outer port leads elsewhere.
    case portTaken
    /// The router only keeps mappings without end.
    case onlyPermanentLeases
    /// The router reports no outer address.
    case noExternalAddress
    case refused
  }

  public var kind: Kind
  /// The code of libnatpmp (`natpmp.h`) or libminiupnpc (`upnpcommands.h`, or the router's own).
  public var code: Int32
  public var operation: String
  public var text: String

  public init(kind: Kind, code: Int32, operation: String, text: String) {
    self.kind = kind
    self.code = code
    self.operation = operation
    self.text = text
  }

  public var description: String { "\(operation): \(text) (\(code))" }
}
