import Foundation

/// A folder whose films are to be found by name and by content, whether they were ever opened here or not.
public struct MediaFolder: Hashable, Sendable {
  public var path: String
  public var addedAt: Date
  /// When it was looked through to its end; nil for never.
  public var scannedAt: Date?
  /// It isn't there now: its disk isn't mounted. What is in it isn't forgotten.
  public var isAway: Bool
  /// How many films and pieces are known in it.
  public var fileCount: Int
}
