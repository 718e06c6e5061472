/// An iteration over a media folder and all folders below it, one folder at a time.
///
/// It blocks, so it needs a thread of its own.
struct FolderWalk {
  /// The result of one step.
  enum Step {
    case directory(path: String, Directory)
    /// A folder that can't be read, or whose mounted disk is missing now: the known contents remain valid.
    case away(path: String)
  }

  /// The folders where a disk is, or was, mounted. Without this record an empty mount point would look like deleted
  /// files.
  private(set) var mounts: Set<String>
  /// The folders that were found, except those that are away.
  private(set) var visited: Set<String> = []
  private(set) var away: [String] = []

  private var ahead: [(folder: Directory.Folder, parent: Directory.Identity?, depth: Int)] = []
  /// The folders seen so far, since links may form a circle.
  private var seen: Set<Directory.Identity> = []

  /// The limit of depth. No real collection is deeper, but a damaged disk may appear so.
  private static let depthLimit = 64

  init(_ root: String, mounts: Set<String>) {
    self.mounts = mounts
    guard let identity = Directory.identity(of: root) else {
      away = [root]
      return
    }
    // A comparison with the parent shows whether the root is a mount point.
    let parent = Directory.identity(of: FileRow.directory(of: root))
    ahead = [(Directory.Folder(path: root, identity: identity), parent, 0)]
  }

  /// Returns the next step.
  ///
  /// - Returns: nil when all folders have been seen.
  mutating func next() -> Step? {
    while let (folder, parent, depth) = ahead.popLast() {
      guard seen.insert(folder.identity).inserted, depth < Self.depthLimit else { continue }
      let isMount = parent.map { $0.device != folder.identity.device } ?? false
      guard isMount || !mounts.contains(folder.path), let directory = Directory(at: folder.path)
      else {
        away.append(folder.path)
        return .away(path: folder.path)
      }
      if isMount { mounts.insert(folder.path) }
      visited.insert(folder.path)
      for child in directory.folders { ahead.append((child, folder.identity, depth + 1)) }
      return .directory(path: folder.path, directory)
    }
    return nil
  }

  /// Returns whether the files known at this path may come back.
  func isAway(_ path: String) -> Bool {
    away.contains { path == $0 || Subtree($0).contains(path) }
  }
}
