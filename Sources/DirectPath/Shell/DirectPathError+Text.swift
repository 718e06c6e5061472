import Glibc

extension DirectPathError {
  static func text(of code: CInt) -> String { String(cString: strerror(code)) }

  /// Creates the error of the call that has just failed.
  static func last(_ operation: String) -> DirectPathError {
    DirectPathError(code: errno, operation: operation)
  }
}
