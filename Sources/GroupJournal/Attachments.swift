extension GroupSessionJournal {
  /// The journal's whole set of attachments, once per change. Ends with the session.
  ///
  /// Mirrors `GroupSessionJournal.Attachments`.
  public struct Attachments: AsyncSequence, Sendable {
    /// All attachments of the journal after a change, in the order in which they were added.
    public typealias Element = [Attachment]

    /// The journal's lease. A loop keeps the journal in use, perhaps as the last user.
    let lease: JournalLease

    /// Returns an iterator, which begins with the current set.
    public func makeAsyncIterator() -> Iterator {
      Iterator(sets: lease.keeper.entries.values().makeAsyncIterator(), lease: lease)
    }

    /// An iterator over the sets. A slow one skips to the newest set.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var sets: AsyncStream<[JournalBook.Entry]>.Iterator
      fileprivate let lease: JournalLease

      /// Waits for the next set. Returns nil when the session is over.
      public mutating func next() async -> [Attachment]? {
        await sets.next()?.map { Attachment($0, lease) }
      }
    }
  }
}
