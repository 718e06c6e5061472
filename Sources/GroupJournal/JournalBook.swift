import Crypto
import Foundation
import GroupActivities

/// The set of current and removed attachments, which converges for all participants in whatever order
/// additions and removals arrive.
///
/// A removed attachment stays as a stub, so that a late addition can't bring it back. An author has a bounded
/// number of slots. When a dishonest author puts two attachments into one slot, the smaller id wins for every
/// participant.
struct JournalBook: Sendable {
  struct Slot: Hashable, Sendable {
    var author: Participant.ID
    var number: Int
  }

  struct Entry: Hashable, Sendable {
    let id: UUID
    let author: Participant.ID
    let body: JournalBody
    let layout: AttachmentLayout

    func precedes(_ other: Entry) -> Bool {
      guard body.addedAt == other.body.addedAt else { return body.addedAt < other.body.addedAt }
      return id.bytes.lexicographicallyPrecedes(other.id.bytes)
    }
  }

  private struct Page {
    let id: UUID
    /// The record, without the body once the attachment was removed.
    var record: JournalRecord
    var entry: Entry?
  }

  enum Change: Hashable, Sendable {
    case none
    case added(UUID)
    case removed(UUID)
    /// An attachment with a smaller id took the slot. The new one may be a removed one.
    case replaced(UUID)
    /// The record breaks a rule or a limit.
    case refused
  }

  private let authorship: AttachmentAuthorship
  private var pages: [Slot: Page] = [:]
  private var slots: [UUID: Slot] = [:]
  private var authors: Set<Participant.ID> = []
  private var bodyBytes = 0
  /// The attachments in the order in which they were added, the same for every participant.
  private(set) var entries: [Entry] = []
  /// A digest of all pages, equal for participants with equal books.
  private(set) var digest: UInt64 = 0
  /// A number that grows with each change. A book that is heavier than a different one therefore has
  /// something that the lighter one lacks.
  private(set) var weight = 0

  /// The limits of the book: pages, authors, and bytes of descriptions.
  static let pageLimit = 4096
  static let authorLimit = 512
  static let byteLimit = 16 << 20

  init(authorship: AttachmentAuthorship) { self.authorship = authorship }

  // MARK: - Reading

  var isEmpty: Bool { pages.isEmpty }

  func entry(_ id: UUID) -> Entry? { slots[id].flatMap { pages[$0]?.entry } }

  func record(_ id: UUID) -> JournalRecord? { slots[id].flatMap { pages[$0]?.record } }

  // MARK: - Comparing

  /// The book's pages in eight bytes each: the beginning of the id, and in the last bit whether the page was
  /// removed.
  var inventory: Data {
    pages.values.reduce(into: Data()) {
      $0 += Self.mark($1.id, isRemoved: $1.entry == nil).bigEndianBytes
    }
  }

  /// - Parameter inventory: another participant's inventory.
  /// - Returns: the records that the other participant lacks; nil if the inventory is malformed.
  func records(lackingIn inventory: Data) -> [JournalRecord]? {
    guard inventory.count % 8 == 0, inventory.count <= 8 * Self.pageLimit else { return nil }
    let bytes = Array(inventory)
    let marks = Set(
      stride(from: 0, to: bytes.count, by: 8).map { UInt64(bigEndianBytes: bytes[$0..<$0 + 8]) })
    return pages.values
      .filter { page in
        !marks.contains(Self.mark(page.id, isRemoved: true))
          && (page.entry == nil || !marks.contains(Self.mark(page.id, isRemoved: false)))
      }
      .sorted { ($0.record.author, $0.record.slot) < ($1.record.author, $1.record.slot) }
      .map(\.record)
  }

  private static func mark(_ id: UUID, isRemoved: Bool) -> UInt64 {
    let mark = UInt64(bigEndianBytes: id.bytes.prefix(8))
    return isRemoved ? mark | 1 : mark & ~1
  }

  // MARK: - Changing

  mutating func remove(_ id: UUID) -> Change {
    guard let slot = slots[id], var page = pages[slot], page.entry != nil else { return .none }
    forget(page)
    bodyBytes -= page.record.body?.count ?? 0
    page.record.body = nil
    page.entry = nil
    pages[slot] = page
    count(page)
    return .removed(id)
  }

  mutating func merge(_ record: JournalRecord) -> Change {
    guard record.isWithinLimits else { return .refused }
    let slot = Slot(author: record.author, number: record.slot)
    let id = record.id(authorship)
    let old = pages[slot]
    // The id covers everything but the body, which is verified when it is new.
    if let old, old.id == id { return record.body == nil ? remove(id) : .none }
    if let old, old.id.bytes.lexicographicallyPrecedes(id.bytes) { return .none }
    guard let page = verified(record, id: id) else { return .refused }
    let growth = (record.body?.count ?? 0) - (old?.record.body?.count ?? 0)
    guard bodyBytes + growth <= Self.byteLimit else { return .refused }
    if let old {
      forget(old)
      slots[old.id] = nil
    } else {
      guard pages.count < Self.pageLimit,
        authors.contains(record.author) || authors.count < Self.authorLimit
      else { return .refused }
      authors.insert(record.author)
    }
    bodyBytes += growth
    pages[slot] = page
    slots[id] = slot
    count(page)
    if let old { return .replaced(old.id) }
    return page.entry == nil ? .removed(id) : .added(id)
  }

  private func verified(_ record: JournalRecord, id: UUID) -> Page? {
    guard authorship.isValid(record.proof, record.statement, record.author) else { return nil }
    guard let bytes = record.body else { return Page(id: id, record: record, entry: nil) }
    guard Data(SHA256.hash(data: bytes)) == record.bodyHash,
      let body = try? JournalBody(binary: bytes), body.isWithinLimits,
      let layout = AttachmentLayout(size: body.size)
    else { return nil }
    return Page(
      id: id, record: record,
      entry: Entry(id: id, author: record.author, body: body, layout: layout))
  }

  private mutating func count(_ page: Page) {
    digest ^= Self.digest(of: page)
    weight += page.entry == nil ? 2 : 1
    guard let entry = page.entry else { return }
    // The newest attachment usually comes last.
    let before = entries.lastIndex { $0.precedes(entry) }
    entries.insert(entry, at: before.map { $0 + 1 } ?? 0)
  }

  private mutating func forget(_ page: Page) {
    digest ^= Self.digest(of: page)
    weight -= page.entry == nil ? 2 : 1
    if page.entry != nil { entries.removeAll { $0.id == page.id } }
  }

  private static func digest(of page: Page) -> UInt64 {
    let hash = SHA256.hash(data: page.id.bytes + [page.entry == nil ? 1 : 0])
    return UInt64(bigEndianBytes: hash.prefix(8))
  }
}
