import CAvahi

/// A failed call of libavahi-client; `code` is of `avahi-common/error.h`, below zero.
package struct LocalDiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Avahi's code, below zero.
  package var code: Int32
  /// The attempted operation, as text for a user.
  package var operation: String
  /// Avahi's description of the code.
  package var text: String

  package var description: String { "\(operation): \(text)" }
}

extension LocalDiscoveryError {
  init(code: Int32, operation: String) {
    self.init(
      code: code, operation: operation, text: String(cString: avahi_strerror(code)))
  }

  /// The daemon keeps the connection, but doesn't answer.
  static var stuck: LocalDiscoveryError {
    LocalDiscoveryError(code: Int32(AVAHI_ERR_TIMEOUT), operation: "ask Avahi")
  }
}
