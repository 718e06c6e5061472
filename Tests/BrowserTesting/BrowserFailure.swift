/// The text of an error that a browser, or the page in it, reported.
package struct BrowserFailure: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
