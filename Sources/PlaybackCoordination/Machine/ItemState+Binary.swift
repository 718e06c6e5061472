import GroupActivities
import Timekeeping

extension ItemState {
  /// The state's part of the signed bytes: the whole state, with the item. The party adds itself, the session and the
  /// purpose.
  var provenBytes: [UInt8] {
    var writer = BinaryWriter()
    writer.text(item)
    write(to: &writer)
    return writer.bytes
  }

  /// Writes the state without its item, which a report names already.
  func write(to writer: inout BinaryWriter) {
    writer.choice(change, of: CoordinatedChange.Kind.numbered)
    writer.value(stamp)
    writer.flags(originator != stamp.participant)
    if originator != stamp.participant { writer.value(originator) }
    writer.double(rate)
    writer.value(phase)
  }

  init(from reader: inout BinaryReader, of item: String) throws(WireError) {
    self.item = item
    change = try reader.choice(of: CoordinatedChange.Kind.numbered, "change of playback")
    stamp = try reader.value()
    originator = stamp.participant
    if try reader.flag() {
      originator = try reader.value()
      guard originator != stamp.participant else { throw .malformed }
    }
    rate = try reader.double()
    phase = try reader.value()
  }
}

extension CoordinatedChange.Kind {
  /// The kinds in the order of their numbers on the wire. Append new ones.
  fileprivate static let numbered: [Self] = [.play, .pause, .seek, .rate, .ended, .proposed]
}

extension ItemState.Phase: BinaryCodable {
  /// The numbers of the phases. Never reuse one.
  private enum Kind: UInt8 {
    case paused = 1
    case pausedExactly = 2
    case starting = 3
    case playing = 4
  }

  func write(to writer: inout BinaryWriter) {
    func begin(_ kind: Kind, at itemTime: MediaTime) {
      writer.byte(kind.rawValue)
      writer.value(itemTime)
    }
    switch self {
    case .paused(let itemTime, let isExact): begin(isExact ? .pausedExactly : .paused, at: itemTime)
    case .starting(let itemTime, let due):
      begin(.starting, at: itemTime)
      writer.value(due)
    case .playing(let timeline):
      begin(.playing, at: timeline.itemTime)
      writer.value(timeline.groupTime)
      writer.double(timeline.previousRate)
    }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("phase of playback \(number)") }
    let itemTime: MediaTime = try reader.value()
    switch kind {
    case .paused: self = .paused(at: itemTime, isExact: false)
    case .pausedExactly: self = .paused(at: itemTime, isExact: true)
    case .starting:
      self = .starting(from: itemTime, due: try reader.value())
    case .playing:
      self = .playing(
        Timeline(
          itemTime: itemTime, groupTime: try reader.value(),
          previousRate: try reader.double()))
    }
  }
}
