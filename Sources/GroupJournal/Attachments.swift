extension GroupSessionJournal {
  /// The journal's whole set of attachments, once per change. Ends with the session.
  ///
  /// Mirrors `GroupSessionJournal.Attachments`.
  public struct Attachments: AsyncSequence, Sendable {
    /// The whole set, in the order in which the attachments were added.
    public typealias Element = [Attachment]

    /// The journal's lease. A loop keeps the journal in use, perhaps as the last user.
    let lease: JournalLease

    /// Returns an iterator, which begins with the current set.
    public func makeAsyncIterator() -> Iterator {
      Iterator(sets: lease.keeper.entries.values().makeAsyncIterator(), lease: lease)
    }

    /// The iterator of one loop.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var sets: AsyncStream<[JournalBook.Entry]>.Iterator
      fileprivate let lease: JournalLease

      /// Returns the next set; nil when the session is over.
      public mutating func next() async -> [Attachment]? {
        await sets.next()?.map { Attachment($0, lease) }
      }
    }
  }
}
