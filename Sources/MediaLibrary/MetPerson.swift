import Foundation

/// A person that this user met in a party. Keys are made for one party each, so that a person can be recognised in that
/// party but not be followed from party to party.
public struct MetPerson: Hashable, Sendable {
  /// The party's public id.
  public var party: String
  /// An identifier derived from the person's public key in that party.
  public var key: String
  /// The person's last name in the party.
  public var name: String
  /// The time of the first meeting.
  public var metAt: Date
  /// The time at which the person was seen last.
  public var seenAt: Date

  /// Creates a record of a person.
  public init(party: String, key: String, name: String, metAt: Date, seenAt: Date) {
    self.party = party
    self.key = key
    self.name = name
    self.metAt = metAt
    self.seenAt = seenAt
  }
}

/// Earlier records that concern a person who is present now.
public struct Acquaintance: Hashable, Sendable {
  /// The earlier record of the same key in the same party.
  public var before: MetPerson?
  /// Another person in the same party with this name, if this key is new.
  public var namesake: MetPerson?

  /// Creates the records; without arguments, those of a stranger.
  public init(before: MetPerson? = nil, namesake: MetPerson? = nil) {
    self.before = before
    self.namesake = namesake
  }
}
