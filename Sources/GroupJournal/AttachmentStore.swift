import Foundation

/// The files of a journal's attachments. They have no names, so that no other user can open them and nothing is left of
/// them after the journal, however it ends.
struct AttachmentStore {
  private let directory: String
  private var files: [UUID: AttachmentFile] = [:]

  /// The space that a large attachment must leave free unless the user asked for it, in bytes.
  private static let reserve: Int64 = 1 << 30

  init(directory: URL?) {
    // Large files don't belong in /tmp, which may be in memory (FHS 3.0 §5.15).
    self.directory =
      directory?.path ?? ProcessInfo.processInfo.environment["TMPDIR"]
      ?? (access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp")
  }

  subscript(id: UUID) -> AttachmentFile? { files[id] }

  mutating func adopt(_ file: AttachmentFile, as id: UUID) { files[id] = file }

  /// Creates the files of an attachment before its transfer, unless it has some.
  mutating func begin(
    _ id: UUID, _ layout: AttachmentLayout, isEager: Bool
  ) throws(JournalError) {
    guard files[id] == nil else { return }
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else {
      throw .system("can't read the free space of \(directory)")
    }
    let free = Int64(status.f_bavail) * Int64(status.f_frsize)
    let isLarge = isEager && layout.size > JournalTiming().eagerLimit
    guard free >= layout.storedSize + (isLarge ? Self.reserve : 0) else {
      throw .storage(
        "\(directory) has \(Self.text(free)) free, but the attachment needs "
          + Self.text(layout.storedSize))
    }
    files[id] = AttachmentFile(
      layout: layout, chunks: try newFile(), blocks: layout.counts.count > 1 ? try newFile() : nil,
      isBorrowed: false)
  }

  mutating func discard(_ id: UUID) { files[id] = nil }

  func newFile() throws(JournalError) -> OpenFile { try OpenFile(unnamedIn: directory) }

  mutating func removeAll() { files = [:] }

  /// Returns a size for users, in decimal units.
  private static func text(_ bytes: Int64) -> String {
    let units = ["kB", "MB", "GB", "TB"]
    var (size, unit) = (Double(bytes) / 1000, 0)
    while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1000, unit + 1) }
    return "\((size * 10).rounded() / 10) \(units[unit])"
  }
}
