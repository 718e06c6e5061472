import CNATS
import GroupActivities

/// A failed libnats call: the `natsStatus` (`nats/status.h`), what was tried and what was said.
struct NATSError: Error, Hashable, Sendable, CustomStringConvertible {
  let status: UInt32
  let operation: String
  let text: String

  /// In characters.
  static let textLimit = 400

  /// - Parameter status: of the call that this thread made last: libnats keeps its text per thread.
  init(status: natsStatus, operation: String) {
    self.status = status.rawValue
    self.operation = operation
    // What a server says, and what its certificate is made out to, is shown in terminals.
    text = PartyText.clean(
      IncomingGuard.words(
        for: NATSError.lastErrorText() ?? String(cString: natsStatus_GetText(status))),
      limit: NATSError.textLimit)
  }

  static func check(_ status: natsStatus, _ operation: @autoclosure () -> String) throws(NATSError)
  {
    guard status == NATS_OK else { throw NATSError(status: status, operation: operation()) }
  }

  var description: String { "\(operation): \(text)" }

  func isStatus(_ other: natsStatus) -> Bool { status == other.rawValue }

  /// Without the place in the library's source, `(conn.c:2088): `, that it puts before the text.
  private static func lastErrorText() -> String? {
    guard let raw = nats_GetLastError(nil) else { return nil }
    var text = String(cString: raw)
    if text.hasPrefix("("), let end = text.firstRange(of: "): ") {
      text.removeSubrange(..<end.upperBound)
    }
    return text.isEmpty ? nil : text
  }
}
