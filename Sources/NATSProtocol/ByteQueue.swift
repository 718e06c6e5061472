import Glibc

/// Bytes in the order in which they arrived: appended at the end, removed at the front.
///
/// Removing moves an index. The removed bytes leave the memory when bytes are appended and the removed ones are the
/// larger part, so that each byte is moved a limited number of times, however it was split on the way.
package struct ByteQueue: Sendable {
  private var storage: [UInt8]
  /// The index of the first byte in `storage`.
  private var start = 0

  package init(_ bytes: [UInt8] = []) { storage = bytes }

  package var count: Int { storage.count - start }
  package var isEmpty: Bool { count == 0 }
  /// The size of the memory that holds the bytes.
  package var capacity: Int { storage.capacity }

  /// - Parameter offset: the distance from the first byte.
  /// - Returns: nil if there are not so many bytes.
  package func byte(at offset: Int) -> UInt8? {
    let index = start + offset
    return index < storage.count ? storage[index] : nil
  }

  /// Returns the distance of the next `byte` from the first one; nil if there is none.
  ///
  /// - Parameter offset: the number of bytes in front that aren't searched, at most ``count``.
  package func offset(of byte: UInt8, from offset: Int = 0) -> Int? {
    withUnsafeBytes { bytes in
      // An empty array may have no address.
      guard offset < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + offset, CInt(byte), bytes.count - offset)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  package mutating func append(_ bytes: [UInt8]) {
    if isEmpty {
      storage = bytes
      start = 0
      return
    }
    if start > storage.count / 2 {
      storage.removeFirst(start)
      start = 0
    }
    storage.append(contentsOf: bytes)
  }

  /// - Precondition: there are so many bytes.
  package mutating func removeFirst(_ count: Int) {
    precondition(count <= self.count, "\(count) of \(self.count) bytes removed")
    start += count
  }

  package mutating func removeAll() { self = ByteQueue() }

  /// Removes the first bytes and returns them, in the memory that held them.
  ///
  /// - Precondition: there are so many bytes.
  package mutating func popFirst(_ count: Int) -> ArraySlice<UInt8> {
    let first = start
    removeFirst(count)
    return storage[first..<start]
  }

  /// Releases the memory of removed bytes if most of the memory is theirs.
  package mutating func compact() {
    if isEmpty {
      removeAll()
    } else if capacity > 2 * count + 512 {
      self = ByteQueue(Array(storage[start...]))
    }
  }
}
