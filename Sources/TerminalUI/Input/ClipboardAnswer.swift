/// A terminal's answer to the request to put a text into its clipboard.
package enum ClipboardAnswer: Hashable, Sendable {
  /// The terminal lets programs set its clipboard.
  case accepts
  /// The text was read back from its clipboard.
  case holds
}
