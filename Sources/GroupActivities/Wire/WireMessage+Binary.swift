import Foundation
import Timekeeping

/// The frequent messages, in a fifth of the bytes that JSON takes: `mark (1) · type (1) · version (1) ·
/// fields`.
extension WireMessage {
  /// The first byte of a binary message, with which no JSON begins.
  static let binaryMark = UInt8(ascii: "B")

  /// The stable numbers of the types. Never reuse a number.
  private enum Kind: UInt8 {
    case probe = 2
    case probeReply = 3
    case vector = 4
    case originals = 5
    case roster = 6
    // 1 was a beacon with one session.
    case beacon = 7

    /// The newest version of the type that this program understands.
    var version: UInt8 { 1 }
  }

  func encodedInBinary() -> [UInt8] {
    var writer = BinaryWriter()
    func begin(_ kind: Kind) {
      writer.byte(Self.binaryMark)
      writer.byte(kind.rawValue)
      writer.byte(kind.version)
    }
    switch self {
    case .beacon(let beacon):
      begin(.beacon)
      beacon.write(to: &writer)
    case .probe(let probe):
      begin(.probe)
      writer.word(probe.nonce)
      writer.byte(probe.introduction ? 1 : 0)
    case .probeReply(let reply):
      begin(.probeReply)
      writer.word(reply.nonce)
      writer.number(reply.baseline)
      writer.byte(reply.times == nil ? 0 : 1)
      if let times = reply.times {
        writer.word(times.received.nanoseconds)
        writer.word(times.sent.nanoseconds)
        writer.word(times.uncertainty)
      }
    case .vector(let vector):
      begin(.vector)
      writer.byte(vector.isPublic ? 1 : 0)
      for entry in vector.entries.prefix(EventVector.limit) {
        writer.id(entry.sender)
        writer.word(entry.epoch)
        writer.number(entry.next)
      }
    case .originals(let originals):
      begin(.originals)
      for signed in originals.signed { writer.block(signed) }
    case .roster(let comparison):
      begin(.roster)
      writer.byte(comparison.purpose.rawValue)
      for hash in comparison.known.prefix(RosterComparison.limit) { writer.half(hash) }
    case .chat, .session, .coordination, .app, .charter, .leave, .resendRequest, .resendRefusal,
      .stateRequest, .state, .farewell, .charterRequest, .coordinationRequest, .arrival, .welcome,
      .lane:
      preconditionFailure("this is JSON")
    }
    return writer.bytes
  }

  init(decodingBinary bytes: [UInt8]) throws(WireMessageError) {
    guard bytes.count >= 3 else { throw .malformed }
    guard let kind = Kind(rawValue: bytes[1]), (1...kind.version).contains(bytes[2]) else {
      throw .unknown(type: "binary \(bytes[1])", version: Int(bytes[2]))
    }
    var reader = BinaryReader(bytes[3...])
    switch kind {
    case .beacon: self = .beacon(try Beacon(from: &reader))
    case .probe:
      self = .probe(Probe(nonce: try reader.word(), introduction: try reader.byte() != 0))
    case .probeReply:
      var reply = ProbeReply(nonce: try reader.word(), baseline: try reader.number())
      if try reader.byte() != 0 {
        reply.times = ProbeReply.Times(
          received: GroupTime(nanoseconds: try reader.signedWord()),
          sent: GroupTime(nanoseconds: try reader.signedWord()),
          uncertainty: try reader.signedWord())
      }
      self = .probeReply(reply)
    case .vector:
      let isPublic = try reader.byte() != 0
      var entries: [EventVector.Entry] = []
      while !reader.isAtEnd {
        guard entries.count < EventVector.limit else { throw .malformed }
        entries.append(
          EventVector.Entry(
            sender: try reader.id(), epoch: try reader.word(), next: try reader.number()))
      }
      self = .vector(EventVector(entries: entries, isPublic: isPublic))
      return
    case .roster:
      guard let purpose = RosterComparison.Purpose(rawValue: try reader.byte()) else {
        throw .malformed
      }
      var known: [UInt32] = []
      while !reader.isAtEnd {
        guard known.count < RosterComparison.limit else { throw .malformed }
        known.append(try reader.half())
      }
      self = .roster(RosterComparison(known: known, purpose: purpose))
      return
    case .originals:
      var signed: [[UInt8]] = []
      while !reader.isAtEnd {
        guard signed.count < Originals.limit else { throw .malformed }
        signed.append(try reader.block(limit: Originals.sizeLimit))
      }
      self = .originals(Originals(signed: signed))
      return
    }
    // A later version that adds fields to one of these has another number.
    guard reader.isAtEnd else { throw .malformed }
  }
}

extension Beacon {
  private struct Fields: OptionSet {
    var rawValue: UInt8
    static let joinedAt = Fields(rawValue: 1)
    static let sessions = Fields(rawValue: 2)
    static let wallClock = Fields(rawValue: 4)
    static let brief = Fields(rawValue: 8)
    static let charter = Fields(rawValue: 16)
    static let clockUncertainty = Fields(rawValue: 32)
    static let clockRoundTrip = Fields(rawValue: 64)
    static let sentAt = Fields(rawValue: 128)
  }

  fileprivate func write(to writer: inout BinaryWriter) {
    var fields: Fields = []
    if joinedAt != nil { fields.insert(.joinedAt) }
    if !sessions.isEmpty { fields.insert(.sessions) }
    if brief != nil { fields.insert(.brief) }
    if charter != nil { fields.insert(.charter) }
    if clockUncertainty != nil { fields.insert(.clockUncertainty) }
    if clockRoundTrip != nil { fields.insert(.clockRoundTrip) }
    if sentAt != nil { fields.insert(.sentAt) }
    if wallClock != nil { fields.insert(.wallClock) }
    writer.byte(fields.rawValue)
    writer.block(name.utf8)
    for count in [lastEvent, settled, coordination, interval, count, roster] {
      writer.number(count)
    }
    if let joinedAt { writer.word(joinedAt.nanoseconds) }
    if !sessions.isEmpty {
      writer.byte(UInt8(sessions.count))
      for session in sessions { session.write(to: &writer) }
    }
    if let brief { writer.block(brief) }
    if let charter { writer.word(charter) }
    if let clockUncertainty { writer.number(UInt64(max(0, clockUncertainty))) }
    if let clockRoundTrip { writer.number(UInt64(max(0, clockRoundTrip))) }
    if let sentAt { writer.word(sentAt.nanoseconds) }
    if let wallClock { wallClock.write(to: &writer) }
  }

  fileprivate init(from reader: inout BinaryReader) throws(WireMessageError) {
    let fields = Fields(rawValue: try reader.byte())
    guard let name = String(validating: try reader.block(limit: 1024), as: UTF8.self) else {
      throw .malformed
    }
    self.init(name: name, joinedAt: nil, lastEvent: try reader.number())
    settled = try reader.number()
    coordination = try reader.number()
    interval = try reader.number()
    count = try reader.number()
    roster = try reader.number()
    if fields.contains(.joinedAt) { joinedAt = GroupTime(nanoseconds: try reader.signedWord()) }
    if fields.contains(.sessions) {
      let count = Int(try reader.byte())
      guard (1...Beacon.sessionLimit).contains(count) else { throw .malformed }
      for _ in 0..<count { sessions.append(try HeldSession(from: &reader)) }
    }
    if fields.contains(.brief) { brief = Data(try reader.block(limit: Self.briefLimit)) }
    if fields.contains(.charter) { charter = try reader.word() }
    if fields.contains(.clockUncertainty) { clockUncertainty = try reader.nonnegative() }
    if fields.contains(.clockRoundTrip) { clockRoundTrip = try reader.nonnegative() }
    if fields.contains(.sentAt) { sentAt = GroupTime(nanoseconds: try reader.signedWord()) }
    if fields.contains(.wallClock) { wallClock = try WallClockClaim(from: &reader) }
  }
}

extension WallClockClaim {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.word(offset)
    writer.number(UInt64(max(0, uncertainty)))
    writer.number(UInt64(max(0, clockUncertainty)))
  }

  fileprivate init(from reader: inout BinaryReader) throws(WireMessageError) {
    offset = try reader.signedWord()
    uncertainty = try reader.nonnegative()
    clockUncertainty = try reader.nonnegative()
    guard isPlausible else { throw .malformed }
  }
}

extension Beacon.HeldSession {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.half(kind)
    writer.word(stamp.time)
    writer.id(stamp.participant)
    writer.byte(joined == nil ? 0 : 1)
    if let joined { writer.word(joined.rawValue) }
  }

  fileprivate init(from reader: inout BinaryReader) throws(WireMessageError) {
    kind = try reader.half()
    stamp = Stamp(time: try reader.signedWord(), participant: try reader.id())
    if try reader.byte() != 0 { joined = GroupSessionID(rawValue: try reader.word()) }
  }
}

extension BinaryReader {
  fileprivate mutating func nonnegative() throws(WireMessageError) -> Int64 {
    guard let value = Int64(exactly: try number()) else { throw .malformed }
    return value
  }
}
