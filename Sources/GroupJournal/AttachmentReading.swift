import Concurrency
import Foundation
import Synchronization

/// The state that a reader's threads and the journal share.
final class AttachmentReading: Sendable {
  let id: UUID
  let file: AttachmentFile
  /// Called on any thread after each change of ``position``.
  private let moved: @Sendable () -> Void
  private let state: Mutex<State>

  private struct State {
    var available: RangeSet<Int>
    var position = ReadingPosition()
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
    /// The error of all further reads.
    var failure: JournalError?

    mutating func look(for chunk: Int, step: Int, unless isReleased: () -> Bool) -> Look {
      if let failure { return .failed(failure) }
      if let range = available.range(containing: chunk) {
        let hasMoved = abs(chunk - position.head) >= step
        if hasMoved { position.head = chunk }
        return .here(chunk..<range.upperBound, hasMoved: hasMoved)
      }
      if isReleased() { return .failed(.interrupted) }
      let waiter = Waiter(chunk: chunk)
      lastWaiter += 1
      waiters[lastWaiter] = waiter
      position.head = chunk
      position.blocked = Set(waiters.values.map(\.chunk)).sorted()
      return .missing(waiter)
    }

    /// Ends the waiting of reads, which have then to look again.
    mutating func wake(_ error: JournalError?, where isMeant: (Waiter) -> Bool) {
      for (number, waiter) in waiters where isMeant(waiter) {
        waiters[number] = nil
        waiter.error.withLock { $0 = error }
        waiter.isOver.set()
      }
      position.blocked = Set(waiters.values.map(\.chunk)).sorted()
    }
  }

  private enum Look {
    case failed(JournalError)
    case here(Range<Int>, hasMoved: Bool)
    case missing(Waiter)
  }

  /// A blocked read.
  private final class Waiter: Sendable {
    let chunk: Int
    let isOver = ThreadFlag()
    let error = Mutex<JournalError?>(nil)

    init(chunk: Int) { self.chunk = chunk }
  }

  /// The way of the position after which the journal learns of it although no read waits, in chunks: 1 MiB.
  private static let step = 32

  init(
    id: UUID, file: AttachmentFile, available: RangeSet<Int>, moved: @escaping @Sendable () -> Void
  ) {
    self.id = id
    self.file = file
    self.moved = moved
    state = Mutex(State(available: available))
  }

  var available: RangeSet<Int> { state.withLock(\.available) }
  var position: ReadingPosition { state.withLock(\.position) }

  // MARK: - The reader's side

  /// Blocks the calling thread until a chunk is here.
  ///
  /// - Returns: the chunks that are here from it on.
  func wait(for chunk: Int, unless isReleased: () -> Bool) throws(JournalError) -> Range<Int> {
    while true {
      switch state.withLock({ $0.look(for: chunk, step: Self.step, unless: isReleased) }) {
      case .failed(let error): throw error
      case .here(let chunks, let hasMoved):
        if hasMoved { moved() }
        return chunks
      case .missing(let waiter):
        moved()
        waiter.isOver.wait()
        if let error = waiter.error.withLock({ $0 }) { throw error }
      }
    }
  }

  /// Ends all reads that wait now with an error.
  func release(_ error: JournalError) {
    state.withLock { $0.wake(error) { _ in true } }
    moved()
  }

  func prefer(_ ranges: [Range<Int>]) {
    state.withLock { $0.position.preferred = ranges }
    moved()
  }

  // MARK: - The journal's side

  func chunkArrived(_ chunk: Int) {
    state.withLock { state in
      state.available.insert(contentsOf: chunk..<chunk + 1)
      if !state.waiters.isEmpty { state.wake(nil) { $0.chunk == chunk } }
    }
  }

  /// Ends reading with an error, for the reads that wait and for later ones.
  ///
  /// - Returns: false if it had ended before.
  @discardableResult
  func fail(_ error: JournalError) -> Bool {
    state.withLock { state in
      guard state.failure == nil else { return false }
      state.failure = error
      state.wake(error) { _ in true }
      return true
    }
  }
}
