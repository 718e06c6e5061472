import DequeModule
import Glibc
import Synchronization

/// Pictures in POSIX shared memory, which the terminal reads and removes (`shm_overview(7)`).
///
/// Only this user's programs can read them. Pictures that the terminal hasn't removed are removed by ``removeAll()``,
/// or as soon as there are more than the terminal can have left unread.
package final class SharedPictures: Sendable {
  /// The greatest number of pictures that a terminal may not have read yet.
  private static let capacity = 4

  private struct State: Sendable {
    var names: Deque<String> = []
    var hasFailed = false
  }

  private let state = Mutex(State())
  /// The number of pictures of this process so far.
  private static let count = Mutex(0)

  /// Creates an empty set; the first picture makes the first piece of shared memory.
  package init() {}

  /// A Boolean value that indicates whether there was no room for a picture, so that another medium has to be used.
  package var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// The pictures that the terminal may not have read yet.
  var names: [String] { state.withLock { Array($0.names) } }

  /// Makes a picture readable for the terminal.
  ///
  /// - Returns: its name; nil if there is no room for it.
  func share(_ bytes: [UInt8]) -> String? {
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    return state.withLock { state in
      let name = "/matinee-\(getpid())-\(number)"
      guard Self.create(name, bytes) else {
        state.hasFailed = true
        return nil
      }
      state.names.append(name)
      while state.names.count > Self.capacity { shm_unlink(state.names.removeFirst()) }
      return name
    }
  }

  /// Removes the pictures that the terminal hasn't removed.
  package func removeAll() {
    state.withLock { state in
      for name in state.names { shm_unlink(name) }
      state.names.removeAll()
    }
  }

  deinit { removeAll() }

  private static func create(_ name: String, _ bytes: [UInt8]) -> Bool {
    // An earlier process of the same number may have left one behind.
    shm_unlink(name)
    let memory = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard memory >= 0 else { return false }
    defer { close(memory) }
    var rest = bytes[...]
    // Written, not mapped: memory without room would end the process by a signal.
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(memory, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        shm_unlink(name)
        return false
      }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
