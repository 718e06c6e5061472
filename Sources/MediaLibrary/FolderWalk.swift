/// A way through a media folder and all below it, one folder at a time.
///
/// Blocks: for a thread of one's own.
struct FolderWalk {
  /// What one step came upon.
  enum Step {
    case directory(path: String, Directory)
    /// It can't be read, or something was mounted there that isn't now: what is known in it holds.
    case away(path: String)
  }

  /// What was mounted in the folder, or is: without it the empty place where it belongs would look like its end.
  private(set) var mounts: Set<String>
  /// The folders that were found, but for those that are away.
  private(set) var visited: Set<String> = []
  private(set) var away: [String] = []

  private var ahead: [(folder: Directory.Folder, parent: Directory.Identity?, depth: Int)] = []
  /// Links may lead in a circle.
  private var seen: Set<Directory.Identity> = []

  /// Deeper than this nobody has films, but a disk that is broken may have.
  private static let depthLimit = 64

  init(_ root: String, mounts: Set<String>) {
    self.mounts = mounts
    guard let identity = Directory.identity(of: root) else {
      away = [root]
      return
    }
    // Whether the root is where a disk is mounted shows in what is above it.
    let parent = Directory.identity(of: FileRow.directory(of: root))
    ahead = [(Directory.Folder(path: root, identity: identity), parent, 0)]
  }

  /// - Returns: nil when all of it has been seen.
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

  /// Whether somebody might still come back who is known at this path.
  func isAway(_ path: String) -> Bool {
    away.contains { path == $0 || Subtree($0).contains(path) }
  }
}
