import AVFormat
import Concurrency
import Foundation
import GroupJournal
import MPVPlayer
import Screening
import Synchronization
import Timekeeping

/// A shared film as libmpv reads it: one attachment, or the header of a smaller copy and its parts.
final class SharedFilmSource: MediaSource {
  let id: UUID
  let size: Int64
  /// The film itself, or the header.
  private let reader: AttachmentReader
  private let map: FilmMap?
  private let layout: SmallCopy.Layout?
  /// Called on any thread when other parts are needed.
  private let moved: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    /// The parts of a smaller copy that are open.
    var parts: [Int: AttachmentReader] = [:]
    /// The part that is opened now.
    var opening: Int?
    /// The part that was read last.
    var head = 0
    /// The reads that wait for a part.
    var waiting: [ThreadFlag] = []

    mutating func wake() {
      for flag in waiting { flag.set() }
      waiting = []
    }
  }

  /// The bytes to fetch around a position, which the map knows roughly: 256 KiB before it and 1 MiB after it.
  private static let lead: Int64 = 256 << 10
  private static let run: Int64 = 1 << 20
  /// The largest number of parts that arrive at the same time.
  private static let ahead = 3

  init(
    _ reader: AttachmentReader, id: UUID, _ description: SharedFilms.Description,
    moved: @escaping @Sendable () -> Void
  ) {
    (self.reader, self.id, self.moved) = (reader, id, moved)
    map = description.map
    layout = description.smaller?.layout
    size = layout.map { Int64($0.size) } ?? reader.size
  }

  deinit {
    reader.close()
    for part in state.withLock(\.parts).values { part.close() }
  }

  // MARK: - The party's side

  /// The arrived parts of the film, from 0 to 1, in ascending order.
  var arrived: [Range<Double>] {
    guard let layout else { return reader.arrived }
    let count = Double(layout.parts)
    var ranges: [Range<Double>] = []
    for (index, part) in state.withLock(\.parts).sorted(by: { $0.key < $1.key }) {
      for range in part.arrived {
        let begin = (Double(index) + range.lowerBound) / count
        let end = (Double(index) + range.upperBound) / count
        if let last = ranges.last, last.upperBound >= begin {
          ranges[ranges.count - 1] = last.lowerBound..<end
        } else {
          ranges.append(begin..<end)
        }
      }
    }
    return ranges
  }

  var arrivedPart: ArrivedPart? {
    guard layout == nil else { return nil }
    let bytes = reader.available.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    return ArrivedPart(bytes: Int(bytes), size: Int(size))
  }

  /// The part for which the player waits; nil for none.
  var awaitedPart: Int? { state.withLock { $0.waiting.isEmpty ? nil : $0.head } }

  func fetch(at position: MediaTime) {
    guard let offset = map?.offset(at: position) else { return }
    reader.prefer([offset - Self.lead..<offset + Self.run])
  }

  /// Returns the part to open now, of those that are made: the one that is read, and those after it; then the earlier
  /// ones. Nil while enough of them arrive.
  func wanted(of made: some Collection<(key: Int, value: GroupSessionJournal.Attachment)>) -> Int? {
    state.withLock { state in
      let missing = made.map(\.key).filter { state.parts[$0] == nil }
      guard state.opening == nil,
        let part = missing.filter({ $0 >= state.head }).min() ?? missing.min(),
        part == state.head || state.parts.values.count(where: { !$0.isComplete }) < Self.ahead
      else { return nil }
      state.opening = part
      return part
    }
  }

  /// Takes a part that has been opened; nil if it couldn't be.
  func opened(_ part: Int, _ reader: AttachmentReader?) {
    state.withLock { state in
      state.opening = nil
      state.parts[part] = reader
      state.wake()
    }
  }

  // MARK: - The player's side

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless isReleased: () -> Bool
  ) -> Int? {
    guard let layout, offset >= layout.header else {
      return read(reader, at: offset, into: buffer, unless: isReleased)
    }
    guard offset < size, !buffer.isEmpty else { return 0 }
    let (part, place) = (Int(offset) - layout.header).quotientAndRemainder(dividingBy: layout.slot)
    guard let reader = open(part, unless: isReleased) else { return nil }
    if place < reader.size {
      return read(reader, at: Int64(place), into: buffer, unless: isReleased)
    }
    let begin = Int(reader.size)
    let count = min(buffer.count, layout.slot - place)
    buffer.baseAddress!.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    let filler = SmallCopy.Layout.filler(layout.slot - begin).dropFirst(place - begin).prefix(count)
    buffer.copyBytes(from: filler)
    return count
  }

  private func read(
    _ reader: AttachmentReader, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    unless isReleased: () -> Bool
  ) -> Int? {
    while true {
      do throws(JournalError) {
        return try reader.read(at: offset, into: buffer, unless: isReleased)
      } catch {
        guard error == .interrupted, !isReleased() else { return nil }
      }
    }
  }

  /// Returns the reader of a part, and blocks until the part is made.
  private func open(_ part: Int, unless isReleased: () -> Bool) -> AttachmentReader? {
    while true {
      let flag = ThreadFlag()
      let (reader, hasMoved) = state.withLock { state in
        let hasMoved = state.head != part
        state.head = part
        if state.parts[part] == nil { state.waiting.append(flag) }
        return (state.parts[part], hasMoved)
      }
      if hasMoved || reader == nil { moved() }
      if let reader { return reader }
      if isReleased() { return nil }
      flag.wait()
    }
  }

  func wake() {
    reader.interrupt()
    let parts = state.withLock { state in
      state.wake()
      return state.parts.values
    }
    for part in parts { part.interrupt() }
  }
}

extension AttachmentReader {
  fileprivate var isComplete: Bool { size == 0 || available == [0..<size] }

  /// The parts that are here, from 0 to 1.
  fileprivate var arrived: [Range<Double>] {
    guard size > 0 else { return [0..<1] }
    let size = Double(size)
    return available.map { Double($0.lowerBound) / size..<Double($0.upperBound) / size }
  }
}
