import Foundation

/// A party that this user was in, with what it takes to come back as the same participant.
public struct RememberedParty: Hashable, Sendable {
  /// The party's public id.
  public var id: String
  /// The whole invite: a secret.
  public var invite: String
  /// The private key that this user has in this party, and in no other: a secret.
  public var identity: [UInt8]
  /// The name that this user had in it.
  public var name: String
  /// What it watched last; nil for nothing yet.
  public var title: String?
  /// Whether this user opened it.
  public var isHost: Bool
  /// Where this user's own relay listened; nil where there was none.
  public var port: Int?
  public var seenAt: Date
  /// The party's rules with their history and its proofs; nil if none were kept.
  public var policyLog: Data?
  /// Why it is over, in words; nil while it may go on.
  public var ending: String?

  public init(
    id: String, invite: String, identity: [UInt8], name: String, title: String? = nil,
    isHost: Bool, port: Int? = nil, seenAt: Date = Date(), policyLog: Data? = nil,
    ending: String? = nil
  ) {
    self.id = id
    self.invite = invite
    self.identity = identity
    self.name = name
    self.title = title
    self.isHost = isHost
    self.port = port
    self.seenAt = seenAt
    self.policyLog = policyLog
    self.ending = ending
  }
}

extension RememberedParty: CustomStringConvertible, CustomDebugStringConvertible {
  /// Without its secrets.
  public var description: String { "party \(id)" }
  public var debugDescription: String { description }
}
