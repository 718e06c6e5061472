/// A party's rules: the participants' permissions, the participants that it waits for, and its lifetime. All
/// participants hold the same rules. ``PartyAmendment``s, which their authors sign, change them.
public struct PartyRules: Hashable, Sendable {
  /// The participants that may control playback for the group and choose its content.
  public enum Control: String, Hashable, Sendable, Codable {
    /// All participants.
    case everyone
    /// The host and the co-hosts.
    case hosts
  }

  /// The fate of the party when its host leaves.
  public enum Lifetime: String, Hashable, Sendable, Codable {
    /// The party continues as long as its broker is available.
    case automatic
    /// The party ends for all.
    case endsWhenHostLeaves
  }

  /// The group's behavior towards participants that are briefly apart from it: those that watch something
  /// else first (`playingInterstitial`), and those that reported that they aren't ready.
  public enum Waiting: String, Hashable, Sendable, Codable {
    /// A start waits for them, but only for a limited time.
    case everyone
    /// A start waits for none of them. They join the others at the group's position by then.
    case nobody
  }

  /// The participants that may control playback.
  public internal(set) var control = Control.everyone
  /// The fate of the party when its host leaves.
  public internal(set) var lifetime = Lifetime.automatic
  /// The group's behavior towards participants that are briefly apart from it.
  public internal(set) var waiting = Waiting.everyone
  /// The host: the creator, until it hands over.
  public internal(set) var host: Participant.ID
  /// The participants that may always control playback, remove guests, and close and open the party. The host
  /// isn't among them.
  public internal(set) var coHosts: Set<Participant.ID> = []
  /// The participants whose messages are ignored.
  public internal(set) var removed: Set<Participant.ID> = []
  /// The participants that may be in the party; nil if an invite suffices.
  public internal(set) var admitted: Set<Participant.ID>?

  init(creator: Participant.ID) { host = creator }

  /// Returns a participant's role; ``Participant/Role/guest`` for an unknown participant.
  public func role(of id: Participant.ID) -> Participant.Role {
    id == host ? .host : coHosts.contains(id) ? .coHost : .guest
  }

  /// Returns whether the group follows a participant's playback commands and choice of content. Never true for
  /// a removed participant.
  public func mayControl(_ id: Participant.ID) -> Bool {
    !removed.contains(id) && (control == .everyone || role(of: id) != .guest)
  }

  /// The participants whose commands count; nil for all participants.
  package var controllers: Set<Participant.ID>? {
    control == .everyone ? nil : coHosts.union([host])
  }

  /// Returns whether this participant's messages are accepted at all.
  package func admits(_ id: Participant.ID) -> Bool {
    !removed.contains(id) && admitted?.contains(id) ?? true
  }

  /// Returns whether a participant may make this change. Co-hosts may remove guests, and close and open the
  /// party. All other changes are the host's.
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
      // The former host becomes a co-host, since the party trusted it with everything.
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
public enum PartyAmendment: Hashable, Sendable {
  /// Chooses the participants that may control playback. The host's decision.
  case control(PartyRules.Control)
  /// Chooses the fate of the party when its host leaves. The host's decision.
  case lifetime(PartyRules.Lifetime)
  /// Chooses the group's behavior towards participants that are briefly apart. The host's decision.
  case waiting(PartyRules.Waiting)
  /// Makes a participant a co-host. The host's decision.
  case appointCoHost(Participant.ID)
  /// Makes a co-host a guest again. The host's decision.
  case dismissCoHost(Participant.ID)
  /// Makes a participant the host. The former host becomes a co-host.
  case handOver(to: Participant.ID)
  /// The other participants ignore the removed participant's messages, and it can't read theirs. It keeps the invite:
  /// ``close(admitting:)`` the party too if it must not return under another key.
  case remove(Participant.ID)
  /// All other participants are excluded, those present and newcomers. The first 64 members count: name the
  /// longest present first (``Party/participants``). Hosts and co-hosts are admitted in any case.
  case close(admitting: [Participant.ID])
  /// Admits all participants with an invite again, except the removed ones.
  case open
}

extension Participant {
  /// A participant's role in its party.
  public enum Role: String, Hashable, Sendable, Codable { case host, coHost, guest }
}
