/// The refusal of a router, or a failure of the library that asks it.
package struct PortMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for which there is no mapping.
  package enum Kind: Hashable, Sendable {
    /// No router answers requests in this protocol.
    case noAnswer
    /// The outer port leads elsewhere.
    case portTaken
    /// The router only keeps mappings without end.
    case onlyPermanentLeases
    /// The router reports no outer address.
    case noExternalAddress
    /// The router refused for another reason: ``code`` and ``text`` state it.
    case refused
  }

  /// The reason, for a program to decide on.
  package var kind: Kind
  /// The code of libnatpmp (`natpmp.h`) or libminiupnpc (`upnpcommands.h`, or the router's own).
  package var code: Int32
  /// The attempted operation, as text for a user.
  package var operation: String
  /// The description of the code, as text for a user.
  package var text: String

  package var description: String { "\(operation): \(text) (\(code))" }
}
