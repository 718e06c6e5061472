import Synchronization

/// Keeps a session's journal running while the lease is in use.
final class JournalLease: Sendable {
  let keeper: JournalKeeper
  /// The session: while the lease is in use, no other object takes its place in memory.
  private let session: any AnyObject & Sendable
  private let number: Int

  private init(_ keeper: JournalKeeper, _ session: any AnyObject & Sendable, number: Int) {
    self.keeper = keeper
    self.session = session
    self.number = number
    // `deinit` and the session end it.
    Task { await keeper.begin() }
  }

  deinit {
    Self.leases.withLock { leases in
      let id = ObjectIdentifier(session)
      // Another lease of the session may have begun. It isn't looked at, since it could end here, under the lock.
      if leases.references[id]?.number == number { leases.references[id] = nil }
    }
    Task { [keeper] in await keeper.end() }
  }

  // MARK: - The leases of this process

  private struct Reference {
    weak var lease: JournalLease?
    var number: Int
  }

  private struct Leases {
    /// The journals in use, by their sessions' objects: all journals of one session are the same journal.
    var references: [ObjectIdentifier: Reference] = [:]
    var lastNumber = 0
  }

  private static let leases = Mutex(Leases())

  /// Returns the lease of a session's journal, which is made if it isn't in use.
  static func lease(
    of session: some AnyObject & Sendable, _ make: () -> JournalKeeper
  ) -> JournalLease {
    leases.withLock { leases in
      let id = ObjectIdentifier(session)
      if let lease = leases.references[id]?.lease { return lease }
      leases.lastNumber += 1
      let lease = JournalLease(make(), session, number: leases.lastNumber)
      leases.references[id] = Reference(lease: lease, number: leases.lastNumber)
      return lease
    }
  }
}
