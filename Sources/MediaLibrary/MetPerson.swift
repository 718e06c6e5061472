import Foundation

/// Somebody with whom this user was in a party. Keys are made for one party each, so that a person can be known again
/// in that one, and nobody can be followed from party to party.
public struct MetPerson: Hashable, Sendable {
  /// The party's public id.
  public var party: String
  /// What its public key comes to in that party.
  public var key: String
  /// The name used last.
  public var name: String
  public var metAt: Date
  public var seenAt: Date

  public init(party: String, key: String, name: String, metAt: Date, seenAt: Date) {
    self.party = party
    self.key = key
    self.name = name
    self.metAt = metAt
    self.seenAt = seenAt
  }
}

/// What is remembered of somebody who is met.
public struct Acquaintance: Hashable, Sendable {
  /// The same key in the same party, as it was known before.
  public var before: MetPerson?
  /// Somebody else in the same party who had this name, if this key is new.
  public var namesake: MetPerson?

  public init(before: MetPerson? = nil, namesake: MetPerson? = nil) {
    self.before = before
    self.namesake = namesake
  }
}
