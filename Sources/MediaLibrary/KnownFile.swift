import AVFormat
import FileNames
import Foundation

/// A file as it was at the last examination.
package struct KnownFile: Hashable, Sendable {
  /// The attributes that show whether a file has changed since its examination.
  package struct Version: Hashable, Sendable {
    /// The file's size in bytes.
    package var size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    package var modified: Int64

    /// Creates a version from remembered attributes.
    package init(size: Int64, modified: Int64) {
      self.size = size
      self.modified = modified
    }

    /// Reads a file's version.
    ///
    /// - Returns: nil if it isn't a regular file.
    package init?(ofFileAt path: String) {
      guard let status = FileName.status(of: path), status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      self.init(status)
    }
  }

  /// The file's absolute path.
  package var path: String
  /// The file's version at the examination.
  package var version: Version
  /// The identifier of the film, computed from the contents; nil before it was computed.
  package var identifier: String?
  /// The media information; nil for a file that libavformat can't read.
  package var information: MediaInformation?

  package init(
    path: String, version: Version, identifier: String? = nil,
    information: MediaInformation? = nil
  ) {
    self.path = path
    self.version = version
    self.identifier = identifier
    self.information = information
  }
}
