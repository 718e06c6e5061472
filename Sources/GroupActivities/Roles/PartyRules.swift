/// Who may do what in a party, for whom it waits, and how long it lasts. Everybody holds the same rules; they
/// change by ``PartyAmendment``s that their authors sign.
public struct PartyRules: Hashable, Sendable {
  /// Whose commands move everybody, and who chooses what is watched.
  public enum Control: String, Hashable, Sendable, Codable {
    case everyone
    /// The host and the co-hosts.
    case hosts
  }

  /// What becomes of the party when its host goes.
  public enum Lifetime: String, Hashable, Sendable, Codable {
    /// It goes on, for as long as its broker is there.
    case automatic
    /// It is over for all.
    case endsWhenHostLeaves
  }

  /// For whom of those who are apart from the group for a moment the others wait: those who watch something
  /// else first (`playingInterstitial`), and those who said that they aren't ready.
  public enum Waiting: String, Hashable, Sendable, Codable {
    /// A start waits for them, but not for ever.
    case everyone
    /// A start waits for none of them: they join the others where those are by then.
    case nobody
  }

  public internal(set) var control = Control.everyone
  public internal(set) var lifetime = Lifetime.automatic
  public internal(set) var waiting = Waiting.everyone
  /// The creator, until it hands over.
  public internal(set) var host: Participant.ID
  public internal(set) var coHosts: Set<Participant.ID> = []
  /// Whose messages nobody takes any more.
  public internal(set) var removed: Set<Participant.ID> = []
  /// Who may be in the party; nil for everybody with an invite.
  public internal(set) var admitted: Set<Participant.ID>?

  init(creator: Participant.ID) { host = creator }

  public func role(of id: Participant.ID) -> Participant.Role {
    id == host ? .host : coHosts.contains(id) ? .coHost : .guest
  }

  public func mayControl(_ id: Participant.ID) -> Bool {
    !removed.contains(id) && (control == .everyone || role(of: id) != .guest)
  }

  /// Whose commands count; nil for everybody's.
  package var controllers: Set<Participant.ID>? {
    control == .everyone ? nil : coHosts.union([host])
  }

  /// Whether a message of this participant's is taken at all.
  package func admits(_ id: Participant.ID) -> Bool {
    !removed.contains(id) && admitted?.contains(id) ?? true
  }

  /// Whether somebody may make this change. Co-hosts may remove guests, and close and open the party;
  /// the rest is the host's.
  public func permit(_ amendment: PartyAmendment, by author: Participant.ID) -> Bool {
    guard !removed.contains(author) else { return false }
    let role = role(of: author)
    switch amendment {
    case .control, .lifetime, .waiting: return role == .host
    case .appointCoHost(let id): return role == .host && id != host && !removed.contains(id)
    case .dismissCoHost(let id): return role == .host && coHosts.contains(id)
    case .handOver(let id): return role == .host && id != host && !removed.contains(id)
    case .remove(let id):
      return id != author && (role == .host || role == .coHost && self.role(of: id) == .guest)
    case .close, .open: return role != .guest
    }
  }

  /// - Returns: the rules after the change; nil if its author may not make it.
  func applying(_ amendment: PartyAmendment, by author: Participant.ID) -> PartyRules? {
    guard permit(amendment, by: author) else { return nil }
    var rules = self
    switch amendment {
    case .control(let control): rules.control = control
    case .lifetime(let lifetime): rules.lifetime = lifetime
    case .waiting(let waiting): rules.waiting = waiting
    case .appointCoHost(let id): rules.coHosts.insert(id)
    case .dismissCoHost(let id): rules.coHosts.remove(id)
    case .handOver(let id):
      // Whoever was trusted with everything keeps some of it.
      rules.coHosts.insert(host)
      rules.coHosts.remove(id)
      rules.host = id
    case .remove(let id):
      rules.removed.insert(id)
      rules.coHosts.remove(id)
      rules.admitted?.remove(id)
    case .close(let members): rules.admitted = Set(members).union([host]).union(coHosts)
    case .open: rules.admitted = nil
    }
    return rules
  }
}

/// One change of a party's rules.
public enum PartyAmendment: Hashable, Sendable, Codable {
  case control(PartyRules.Control)
  case lifetime(PartyRules.Lifetime)
  case waiting(PartyRules.Waiting)
  case appointCoHost(Participant.ID)
  case dismissCoHost(Participant.ID)
  case handOver(to: Participant.ID)
  /// Nobody takes its messages any more. It keeps the invite: ``close(admitting:)`` the party too if it
  /// must not come back under another key.
  case remove(Participant.ID)
  /// No other participant comes in, or stays. Of the members the first 64 count: name the longest present first
  /// (``Party/participants``). Hosts and co-hosts are admitted in any case.
  case close(admitting: [Participant.ID])
  case open
}

extension Participant {
  /// What a participant is to its party.
  public enum Role: String, Hashable, Sendable, Codable { case host, coHost, guest }
}
