import Concurrency
import Timekeeping

/// The secrets of epochs that one participant holds, also those of epochs that it has left or hasn't reached yet.
struct EpochSecrets: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    let secret: EpochSecret
    let id: ContentKeyID
    /// The participant that drew the secret.
    let author: Participant.ID
    /// The author's signature over ``EpochSecret/provenBytes``.
    let proof: Proof
    /// The time since which its epoch isn't the current one; nil while it is.
    fileprivate(set) var retiredAt: HostTime?

    init(_ secret: EpochSecret, author: Participant.ID, proof: Proof, retiredAt: HostTime?) {
      self.secret = secret
      id = secret.id
      self.author = author
      self.proof = proof
      self.retiredAt = retiredAt
    }
  }

  /// The secrets in the order in which they were learned.
  private(set) var entries: [Entry] = []
  /// Counts the changes.
  private(set) var revision = 0

  /// The largest number of secrets, and of one author's secrets for one epoch.
  static let limit = 32
  static let authorLimit = 4
  /// The time for which a secret is kept after its epoch: messages that are on their way still open.
  static let lifetime = Duration.seconds(600)

  subscript(id: ContentKeyID) -> Entry? { entries.first { $0.id == id } }

  /// Adds a secret. The oldest one of the same author and epoch goes if there are too many, then the oldest of an
  /// earlier epoch.
  ///
  /// - Parameter kept: the secret in use, which stays in any case.
  /// - Returns: false if there is another secret with its name.
  mutating func add(_ entry: Entry, keeping kept: ContentKeyID?) -> Bool {
    guard self[entry.id] == nil else { return false }
    let ofAuthor = entries.filter {
      $0.author == entry.author && $0.secret.epoch == entry.secret.epoch && $0.id != kept
    }
    if ofAuthor.count >= Self.authorLimit { remove(ofAuthor[0].id) }
    if entries.count >= Self.limit,
      let oldest = entries.first(where: { $0.retiredAt != nil && $0.id != kept })
        ?? entries.first(where: { $0.id != kept })
    {
      remove(oldest.id)
    }
    entries.append(entry)
    revision += 1
    return true
  }

  /// Notes the change of the epoch: the time of the others' retirement begins.
  mutating func epochChanged(to epoch: KeyEpoch, at now: HostTime) {
    for index in entries.indices {
      if entries[index].secret.epoch == epoch {
        entries[index].retiredAt = nil
      } else if entries[index].retiredAt == nil {
        entries[index].retiredAt = now
      }
    }
  }

  /// Returns the secret that all participants with these rules use if they hold the same secrets: the one of the author
  /// with the highest role, and among equals the one with the greatest name.
  func best(of epoch: KeyEpoch, rules: PartyRules) -> Entry? {
    entries.filter { $0.secret.epoch == epoch && rules.admits($0.author) }
      .max { rank($0, rules) < rank($1, rules) }
  }

  private func rank(_ entry: Entry, _ rules: PartyRules) -> (Int, UInt32) {
    let role =
      switch rules.role(of: entry.author) {
      case .host: 2
      case .coHost: 1
      case .guest: 0
      }
    return (role, entry.id.rawValue)
  }

  /// Forgets the secrets whose time is over. Afterwards they can't be stolen from this participant.
  mutating func forget(at now: HostTime) {
    let before = entries.count
    entries.removeAll { $0.retiredAt.map { now >= $0 + Self.lifetime } ?? false }
    if entries.count != before { revision += 1 }
  }

  /// The time at which the next secret is forgotten.
  var nextExpiry: HostTime? {
    var next: HostTime?
    for entry in entries { next.bringForward(to: entry.retiredAt.map { $0 + Self.lifetime }) }
    return next
  }

  private mutating func remove(_ id: ContentKeyID) {
    entries.removeAll { $0.id == id }
    revision += 1
  }
}
