import AVFormat
import Foundation

/// A file as it was when somebody looked into it.
public struct KnownFile: Hashable, Sendable {
  /// What tells whether a file is still the one that was looked at.
  public struct Version: Hashable, Sendable {
    /// In bytes.
    public var size: Int64
    /// Its last change, in nanoseconds since 1970.
    public var modified: Int64

    public init(size: Int64, modified: Int64) {
      self.size = size
      self.modified = modified
    }

    /// - Returns: nil for what isn't a regular file.
    public init?(ofFileAt path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      self.init(status)
    }
  }

  public var path: String
  public var version: Version
  /// What film it is, by its content; nil before anybody computed it.
  public var identifier: String?
  /// Nil for a file that libavformat can't read.
  public var information: MediaInformation?

  public init(
    path: String, version: Version, identifier: String? = nil,
    information: MediaInformation? = nil
  ) {
    self.path = path
    self.version = version
    self.identifier = identifier
    self.information = information
  }
}
