import Foundation

/// A party that this user was in, with the data for returning as the same participant.
package struct RememberedParty: Hashable, Sendable {
  /// The party's public id.
  package var id: String
  /// The whole invite: a secret.
  package var invite: String
  /// This user's private key in this party, used in no other: a secret.
  package var identity: [UInt8]
  /// This user's name in the party.
  package var name: String
  /// The title of the last film; nil for none yet.
  package var title: String?
  /// The party's list of films as JSON, with which its host opens it again; nil for none yet.
  package var playlist: Data?
  /// A Boolean value that indicates whether this user opened the party.
  package var isHost: Bool
  /// The port of this user's own relay; nil if there was none.
  package var port: Int?
  /// The time at which this user was in the party last.
  package var seenAt: Date
  /// The party's rules with their history and its proofs; nil if none were kept.
  package var policyLog: Data?
  /// The reason why the party is over, as a text; nil while it may continue.
  package var ending: String?

  package init(
    id: String, invite: String, identity: [UInt8], name: String, title: String? = nil,
    playlist: Data? = nil, isHost: Bool, port: Int? = nil, seenAt: Date = Date(),
    policyLog: Data? = nil, ending: String? = nil
  ) {
    self.id = id
    self.invite = invite
    self.identity = identity
    self.name = name
    self.title = title
    self.playlist = playlist
    self.isHost = isHost
    self.port = port
    self.seenAt = seenAt
    self.policyLog = policyLog
    self.ending = ending
  }
}

extension RememberedParty: CustomStringConvertible, CustomDebugStringConvertible {
  /// A description without the secrets.
  package var description: String { "party \(id)" }
  /// A description without the secrets.
  package var debugDescription: String { description }
}
