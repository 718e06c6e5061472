import CNATS
import GroupActivities

/// A failed libnats call: the `natsStatus` (`nats/status.h`), the operation and libnats' text.
struct NATSError: Error, Hashable, Sendable, CustomStringConvertible {
  let status: UInt32
  let operation: String
  let text: String

  /// The limit for the text, in characters.
  static let textLimit = 400

  /// - Parameter status: the status of the last call by this thread: libnats keeps its text per
  ///   thread.
  init(status: natsStatus, operation: String) {
    self.status = status.rawValue
    self.operation = operation
    // The text may contain names from a server or its certificate, and terminals show it.
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

  /// Returns libnats' text without the position in the library's source, `(conn.c:2088): `, before
  /// it.
  private static func lastErrorText() -> String? {
    guard let raw = nats_GetLastError(nil) else { return nil }
    var text = String(cString: raw)
    if text.hasPrefix("("), let end = text.firstRange(of: "): ") {
      text.removeSubrange(..<end.upperBound)
    }
    return text.isEmpty ? nil : text
  }
}
