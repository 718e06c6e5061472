import Foundation

extension Participant.ID: BinaryCodable {
  package func write(to writer: inout BinaryWriter) {
    writer.word(high)
    writer.word(low)
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(high: try reader.word(), low: try reader.word())
  }
}

extension Stamp: BinaryCodable {
  package func write(to writer: inout BinaryWriter) {
    writer.word(time)
    writer.value(participant)
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(time: try reader.signedWord(), participant: try reader.value())
  }
}

extension KeyEpoch: BinaryCodable {
  func write(to writer: inout BinaryWriter) { writer.word(rawValue) }

  init(from reader: inout BinaryReader) throws(WireError) { rawValue = try reader.word() }
}

extension ContentKeyID: BinaryCodable {
  func write(to writer: inout BinaryWriter) { writer.half(rawValue) }

  init(from reader: inout BinaryReader) throws(WireError) { rawValue = try reader.half() }
}

extension GroupSessionID: BinaryCodable {
  package func write(to writer: inout BinaryWriter) { writer.word(rawValue) }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(rawValue: try reader.word())
  }
}

extension Proof: BinaryCodable {
  package func write(to writer: inout BinaryWriter) {
    precondition(publicKey.count == 32 && signature.count == 64, "a proof has 96 bytes")
    writer.fixed(publicKey)
    writer.fixed(signature)
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(publicKey: Data(try reader.fixed(32)), signature: Data(try reader.fixed(64)))
  }
}

extension PartyRules.Control {
  /// The values in the order of their numbers on the wire. Append new ones.
  static let numbered: [Self] = [.everyone, .hosts]
}

extension PartyRules.Lifetime {
  /// The values in the order of their numbers on the wire. Append new ones.
  static let numbered: [Self] = [.automatic, .endsWhenHostLeaves]
}

extension PartyRules.Waiting {
  /// The values in the order of their numbers on the wire. Append new ones.
  static let numbered: [Self] = [.everyone, .nobody]
}

extension PartyAmendment: BinaryCodable {
  /// The largest number of members that a change names, and of co-hosts.
  static let memberLimit = 64

  package func write(to writer: inout BinaryWriter) {
    switch self {
    case .control(let control):
      writer.byte(1)
      writer.choice(control, of: PartyRules.Control.numbered)
    case .lifetime(let lifetime):
      writer.byte(2)
      writer.choice(lifetime, of: PartyRules.Lifetime.numbered)
    case .waiting(let waiting):
      writer.byte(3)
      writer.choice(waiting, of: PartyRules.Waiting.numbered)
    case .appointCoHost(let id):
      writer.byte(4)
      writer.value(id)
    case .dismissCoHost(let id):
      writer.byte(5)
      writer.value(id)
    case .handOver(let id):
      writer.byte(6)
      writer.value(id)
    case .remove(let id):
      writer.byte(7)
      writer.value(id)
    case .close(let members):
      writer.byte(8)
      writer.list(members)
    case .open: writer.byte(9)
    }
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    switch try reader.byte() {
    case 1: self = .control(try reader.choice(of: PartyRules.Control.numbered, "control rule"))
    case 2: self = .lifetime(try reader.choice(of: PartyRules.Lifetime.numbered, "lifetime rule"))
    case 3: self = .waiting(try reader.choice(of: PartyRules.Waiting.numbered, "waiting rule"))
    case 4: self = .appointCoHost(try reader.value())
    case 5: self = .dismissCoHost(try reader.value())
    case 6: self = .handOver(to: try reader.value())
    case 7: self = .remove(try reader.value())
    case 8: self = .close(admitting: try reader.list(limit: Self.memberLimit))
    case 9: self = .open
    case let number: throw .unknown("rule \(number)")
    }
  }
}
