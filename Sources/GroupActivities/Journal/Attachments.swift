extension GroupSessionJournal {
  /// The journal's whole set of attachments, each time it is another one. Ends with the session.
  ///
  /// Mirrors `GroupSessionJournal.Attachments`.
  public struct Attachments: AsyncSequence, Sendable {
    public typealias Element = [Attachment]

    /// A loop holds the journal, whose last use it may be.
    let lease: JournalLease

    /// Each gets the current set first.
    public func makeAsyncIterator() -> Iterator {
      Iterator(sets: lease.keeper.entries.values().makeAsyncIterator(), lease: lease)
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var sets: AsyncStream<[JournalBook.Entry]>.Iterator
      fileprivate let lease: JournalLease

      public mutating func next() async -> [Attachment]? {
        await sets.next()?.map { Attachment($0, lease) }
      }
    }
  }
}
