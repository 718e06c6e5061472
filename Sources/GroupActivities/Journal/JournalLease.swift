import Synchronization

/// Keeps a session's journal running while the lease is in use.
final class JournalLease: Sendable {
  let keeper: JournalKeeper

  init(_ keeper: JournalKeeper) {
    self.keeper = keeper
    // `deinit` and the session end it.
    Task { await keeper.begin() }
  }

  deinit { Task { [keeper] in await keeper.end() } }
}

/// A session's weak reference to its journal.
final class JournalSlot: Sendable {
  private struct State {
    weak var lease: JournalLease?
    var isClosed = false
  }

  private let state = Mutex(State())

  func lease(_ make: () -> JournalKeeper) -> JournalLease {
    let (lease, isClosed) = state.withLock { state in
      if let lease = state.lease { return (lease, state.isClosed) }
      let lease = JournalLease(make())
      state.lease = lease
      return (lease, state.isClosed)
    }
    if isClosed { Task { await lease.keeper.end() } }
    return lease
  }

  /// Ends the journal when the session is over.
  func close() {
    let lease = state.withLock { state in
      state.isClosed = true
      return state.lease
    }
    if let lease { Task { await lease.keeper.end() } }
  }
}
