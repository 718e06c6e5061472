#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An error that kept a relay from starting.
public struct RelayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for which a relay didn't start.
  public enum Kind: Hashable, Sendable {
    /// Another program listens at the address: choose another port, or 0.
    case addressInUse
    /// The address is not one of this machine's, or can't be resolved.
    case addressUnavailable
    /// The process lacks a privilege, for example for ports below 1024.
    case notPermitted
    /// The relay was started twice, or after ``Relay/shutdown()``.
    case alreadyStarted
    /// A file isn't a certificate or its key.
    case badCertificate
    /// Another error of the system, which the description names.
    case other
  }

  /// The reason, for a program to decide on; ``description`` is for users.
  public let kind: Kind
  /// The attempted operation and the reason of its failure, as text for a user.
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  init(binding address: String, errno code: CInt) {
    switch code {
    case EADDRINUSE:
      self.init(.addressInUse, "\(address) is in use by another program. Choose another port.")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      self.init(.addressUnavailable, "\(address) isn't an address of this machine.")
    case EACCES, EPERM:
      self.init(.notPermitted, "No permission to listen on \(address). Choose a port above 1023.")
    default:
      self.init(.other, "Can't listen on \(address): \(String(cString: strerror(code)))")
    }
  }
}
