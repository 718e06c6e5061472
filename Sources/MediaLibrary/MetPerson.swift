import Foundation

/// A person that this user met in a party. Keys are made for one party each, so that a person can be recognised in that
/// party but not be followed from party to party.
package struct MetPerson: Hashable, Sendable {
  /// The party's public id.
  package var party: String
  /// An identifier derived from the person's public key in that party.
  package var key: String
  /// The person's last name in the party.
  package var name: String
  /// The time of the first meeting.
  package var metAt: Date
  /// The time at which the person was seen last.
  package var seenAt: Date

  package init(party: String, key: String, name: String, metAt: Date, seenAt: Date) {
    self.party = party
    self.key = key
    self.name = name
    self.metAt = metAt
    self.seenAt = seenAt
  }
}

/// Earlier records that concern a person who is present now.
package struct Acquaintance: Hashable, Sendable {
  /// The earlier record of the same key in the same party.
  package var before: MetPerson?
  /// Another person in the same party with this name, if this key is new.
  package var namesake: MetPerson?
}
