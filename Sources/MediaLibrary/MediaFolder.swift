import Foundation

/// A folder whose films can be found by name and by content, even if they were never opened here.
package struct MediaFolder: Hashable, Sendable {
  /// The folder's absolute path.
  package var path: String
  /// The time at which the user added the folder.
  package var addedAt: Date
  /// The time of the last complete scan; nil for never.
  package var scannedAt: Date?
  /// A Boolean value that indicates whether the folder is missing now, because its disk isn't mounted. Its known files
  /// are kept.
  package var isAway: Bool
  /// The number of known films and audio files in the folder.
  package var fileCount: Int
}
