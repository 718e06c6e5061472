/// A participant's part in the relays of its party: the relay that it offers, and the other participants' relays that
/// it has reached. It follows the participant's beacon.
struct StandbyReport: Hashable, Sendable {
  /// The addresses of the relay that the participant offers, best first; empty for none.
  var addresses: [Invite.Address] = []
  /// The share of the participants that have reached the relay, as its owner counted them.
  var reach = RelayReach.nobody
  /// The owners of the relays that the participant has reached, each as a hash (``RosterComparison/hash(_:)``).
  var reached: [UInt32] = []

  static let addressLimit = 4
  /// The longest host, in bytes, so that a report fits into a field of a beacon.
  static let hostLimit = 128
  static let reachedLimit = 8

  /// Returns whether an address may be offered: an IP address. A name would send all others to a name server of the
  /// owner's choice.
  static func isOfferable(_ address: Invite.Address) -> Bool { address.bytes != nil }
}

/// The share of the participants that have reached a relay. It changes rarely, so that all participants rank the relays
/// alike.
enum RelayReach: UInt8, Hashable, Sendable {
  case nobody = 0
  case some = 1
  case most = 2
  case everybody = 3

  /// - Parameters:
  ///   - count: the number of participants that have reached the relay.
  ///   - others: the number of participants that report which relays they have reached.
  init(count: Int, of others: Int) {
    self =
      if count == 0 { .nobody } else if count >= others { .everybody } else if count * 2 >= others {
        .most
      } else {
        .some
      }
  }
}

extension StandbyReport: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.count(addresses.count)
    for address in addresses {
      // A program that doesn't know the part behind the plus can't have come to such a relay's party.
      writer.text(address.security.map { "\(address.host)+\($0.text)" } ?? address.host)
      writer.number(UInt64(address.port))
    }
    writer.byte(reach.rawValue)
    writer.count(reached.count)
    for hash in reached { writer.half(hash) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    for _ in 0..<(try reader.count(limit: Self.addressLimit)) {
      let host = try reader.text(limit: Self.hostLimit)
      let parts = host.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
      let security = parts.count < 2 ? nil : Invite.Address.Security(String(parts[1]))
      guard parts.count < 2 || security != nil,
        let address = Invite.Address(
          host: String(parts.first ?? ""), port: Int(clamping: try reader.number()),
          security: security)
      else { throw .malformed }
      if Self.isOfferable(address) { addresses.append(address) }
    }
    guard let reach = RelayReach(rawValue: try reader.byte()) else { throw .malformed }
    self.reach = reach
    for _ in 0..<(try reader.count(limit: Self.reachedLimit)) { reached.append(try reader.half()) }
  }
}
