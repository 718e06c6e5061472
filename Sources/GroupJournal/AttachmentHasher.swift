import Foundation

/// Hashes an attachment chunk by chunk into its tree (``AttachmentLayout``).
struct AttachmentHasher {
  let layout: AttachmentLayout
  private let blocks: OpenFile?
  private var next = 0
  /// The hashes of each level's incomplete block, for each level above the chunks.
  private var unfinished: [Data]
  private var written: [Int]
  private(set) var root: Data?

  /// - Parameter blocks: the file for the hash blocks; nil when there is only one chunk.
  init(layout: AttachmentLayout, blocks: OpenFile?) {
    self.layout = layout
    self.blocks = blocks
    unfinished = layout.counts.dropFirst().map { _ in Data() }
    written = layout.counts.dropFirst().map { _ in 0 }
  }

  /// Hashes the next chunks.
  ///
  /// - Parameter chunks: whole chunks, except that the last one ends with the content.
  mutating func update(with chunks: Data) throws(JournalError) {
    var rest = chunks
    repeat {
      let chunk = rest.prefix(AttachmentLayout.chunkSize)
      rest = rest.dropFirst(AttachmentLayout.chunkSize)
      next += 1
      try add(AttachmentLayout.hash(chunk, level: 0), of: 0, isLast: next == layout.chunkCount)
    } while !rest.isEmpty
  }

  private mutating func add(_ hash: Data, of level: Int, isLast: Bool) throws(JournalError) {
    guard level < unfinished.count else {
      root = hash
      return
    }
    unfinished[level] += hash
    guard isLast || unfinished[level].count == AttachmentLayout.chunkSize else { return }
    let block = unfinished[level]
    unfinished[level] = Data()
    let piece = Piece(level: level + 1, index: written[level])
    written[level] += 1
    try blocks?.write(block, at: layout.offset(of: piece))
    try add(AttachmentLayout.hash(block, level: level + 1), of: level + 1, isLast: isLast)
  }
}
