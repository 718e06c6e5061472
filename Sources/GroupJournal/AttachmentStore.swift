import Foundation

/// The files of a journal, in a directory that only this user can read and that is removed with the journal.
struct AttachmentStore {
  /// The directory in which the journal's directory is created.
  private let parent: String
  private(set) var directory: String?
  /// The lock on the directory while it is in use.
  private var lock: OpenFile?
  private var files: [UUID: AttachmentFile] = [:]
  private var count = 0

  /// The space that a large attachment must leave free unless the user asked for it, in bytes.
  private static let reserve: Int64 = 1 << 30

  init(parent: URL?) {
    // Large files don't belong in /tmp, which may be in memory (FHS 3.0 §5.15).
    self.parent =
      parent?.path ?? ProcessInfo.processInfo.environment["TMPDIR"]
      ?? (access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp")
  }

  subscript(id: UUID) -> AttachmentFile? { files[id] }

  mutating func adopt(_ file: AttachmentFile, as id: UUID) { files[id] = file }

  /// Creates the files of an attachment before its transfer.
  mutating func begin(
    _ id: UUID, _ layout: AttachmentLayout, isEager: Bool
  ) throws(JournalError) {
    let directory = try makeDirectory()
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else {
      throw .system("can't read the free space of \(directory)")
    }
    let free = Int64(status.f_bavail) * Int64(status.f_frsize)
    let isLarge = isEager && layout.size > JournalTiming().eagerLimit
    guard free >= layout.size + (isLarge ? Self.reserve : 0) else {
      throw .storage("\(directory) has \(free) bytes free, but the attachment needs \(layout.size)")
    }
    files[id] = AttachmentFile(
      layout: layout, chunks: try newFile(), blocks: layout.counts.count > 1 ? try newFile() : nil,
      isBorrowed: false)
  }

  mutating func discard(_ id: UUID) {
    guard let file = files.removeValue(forKey: id) else { return }
    discard(file)
  }

  func discard(_ file: AttachmentFile) {
    if !file.isBorrowed { unlink(file.chunks.path) }
    if let blocks = file.blocks { unlink(blocks.path) }
  }

  mutating func newFile() throws(JournalError) -> OpenFile {
    count += 1
    return try OpenFile(
      path: try makeDirectory() + "/\(count)", flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  mutating func removeAll() {
    files = [:]
    guard let directory else { return }
    try? FileManager.default.removeItem(atPath: directory)
    self.directory = nil
    lock = nil
  }

  private mutating func makeDirectory() throws(JournalError) -> String {
    if let directory { return directory }
    sweep()
    // mkdtemp(3) makes it with mode 0700.
    var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .system("can't create a directory in \(parent)") }
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.directory = directory
    lock = try OpenFile(path: directory, flags: O_RDONLY | O_DIRECTORY)
    _ = lock?.tryLock()
    return directory
  }

  private static let prefix = "matinee-journal-"

  /// Removes the directories of processes that ended without removing them.
  private func sweep() {
    // A directory that can't be listed is left as it is.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: parent) else { return }
    for name in names where name.hasPrefix(Self.prefix) {
      let path = parent + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_uid == geteuid(),
        // The process that created it may not have locked it yet.
        time(nil) - status.st_mtim.tv_sec > 60,
        let left = try? OpenFile(path: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
        left.tryLock()
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
