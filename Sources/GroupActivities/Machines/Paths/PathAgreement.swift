import Concurrency
import Timekeeping

/// Agrees with the other participants on direct paths: two participants that both allow them exchange their addresses and
/// open a path.
///
/// Messages between two participants may be lost. A participant therefore repeats an offer until the other one's offer
/// names it, with growing pauses.
struct PathAgreement: Sendable {
  enum Directive: Hashable, Sendable {
    case offer(PathOffer, to: Participant.ID)
    /// Opens a path, or changes the candidates of one.
    case open(to: Participant.ID, publicKey: [UInt8], candidates: [PathCandidate])
    case close(to: Participant.ID)
  }

  /// A participant that paths may lead to.
  struct Neighbor: Hashable, Sendable {
    var id: Participant.ID
    /// The process that speaks for it.
    var epoch: UInt64
  }

  /// The state of the path to another participant.
  private struct Peer: Hashable {
    let epoch: UInt64
    /// The newest offer from it.
    var theirs: PathOffer?
    /// The content of the newest offer to it; nil before the first.
    var mine: Terms?
    /// The number of the newest offer to it; 0 before the first.
    var number: UInt64 = 0
    /// The number of the newest offer to it that it has named.
    var acknowledged: UInt64 = 0
    var attempts = 0
    /// The time of the next repetition.
    var repeatAt: HostTime?
    /// The candidates with which the path was opened; nil while it isn't.
    var opened: [PathCandidate]?
    var path: OpenPath?
    /// The number of probes on the path since the last answer.
    var unanswered = 0

    var isAllowed: Bool { theirs?.isAllowed ?? false }
    var waitsForAnswer: Bool { acknowledged < number }
  }

  /// The content of an offer, besides its numbers.
  private struct Terms: Hashable {
    var isAllowed: Bool
    var candidates: [PathCandidate]
  }

  private let publicKey: [UInt8]
  /// A Boolean value that indicates whether this participant's user allows direct paths.
  private(set) var isAllowed = false
  private var candidates: [PathCandidate] = []
  private var peers: [Participant.ID: Peer] = [:]
  /// The time since which the participants may be others than those that paths were made for.
  private var rosterChangedAt: HostTime?

  /// The largest number of paths.
  static let limit = 32
  private static let firstPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(30)
  private static let attemptLimit = 10
  /// The number of unanswered probes on a path from which on probes are sent over the relay too.
  private static let doubtfulCount = 2

  init(publicKey: [UInt8]) { self.publicKey = publicKey }

  // MARK: - Properties

  /// The open path to a participant; nil for none.
  func path(to id: Participant.ID) -> OpenPath? { peers[id]?.path }

  /// The open paths.
  var paths: [Participant.ID: OpenPath] { peers.compactMapValues(\.path) }

  /// The ways for a probe to a participant.
  enum Way: Hashable, Sendable {
    case relay, path
    /// The path may be broken.
    case both
  }

  /// The time of the next call of ``timerFired(at:)``.
  var nextDeadline: HostTime? {
    var next = rosterChangedAt
    for peer in peers.values { next.bringForward(to: peer.repeatAt) }
    return next
  }

  // MARK: - This participant

  /// Allows direct paths to all participants that allow them too, or closes all.
  mutating func allow(_ isAllowed: Bool, at now: HostTime) -> [Directive] {
    guard isAllowed != self.isAllowed else { return [] }
    self.isAllowed = isAllowed
    return renew(at: now)
  }

  /// This machine's addresses changed.
  mutating func candidatesChanged(to candidates: [PathCandidate], at now: HostTime) -> [Directive] {
    self.candidates = Array(candidates.prefix(PathInvitation.candidateLimit))
    return renew(at: now)
  }

  private mutating func renew(at now: HostTime) -> [Directive] {
    peers.keys.sorted().flatMap { offer(to: $0, at: now) }
  }

  // MARK: - The others

  mutating func rosterChanged(at now: HostTime) { rosterChangedAt = now }

  /// A Boolean value that indicates whether to call ``neighborsChanged(to:at:)``.
  var isStale: Bool { rosterChangedAt != nil }

  /// The participants with which paths are wanted changed.
  mutating func neighborsChanged(to neighbors: [Neighbor], at now: HostTime) -> [Directive] {
    rosterChangedAt = nil
    var directives: [Directive] = []
    let wanted = Dictionary(neighbors.prefix(Self.limit).map { ($0.id, $0.epoch) }) { a, _ in a }
    for (id, peer) in peers.sorted(by: { $0.key < $1.key }) where wanted[id] != peer.epoch {
      directives += forget(id)
    }
    for neighbor in neighbors.prefix(Self.limit) where peers[neighbor.id] == nil {
      peers[neighbor.id] = Peer(epoch: neighbor.epoch)
      if isAllowed { directives += offer(to: neighbor.id, at: now) }
    }
    return directives
  }

  private mutating func forget(_ id: Participant.ID) -> [Directive] {
    peers.removeValue(forKey: id)?.opened == nil ? [] : [.close(to: id)]
  }

  /// Processes a participant's offer.
  ///
  /// - Returns: nothing for an offer of a participant that paths aren't wanted with, and for an outdated one.
  mutating func received(
    _ theirs: PathOffer, from id: Participant.ID, epoch: UInt64, at now: HostTime
  ) -> [Directive] {
    guard var peer = peers[id], peer.epoch == epoch else { return [] }
    let isNew = theirs.number > peer.theirs?.number ?? 0
    guard isNew || theirs.number == peer.theirs?.number else { return [] }
    if isNew { peer.theirs = theirs }
    if theirs.received <= peer.number {
      peer.acknowledged = max(peer.acknowledged, theirs.received)
    }
    if !peer.waitsForAnswer { peer.repeatAt = nil }
    peers[id] = peer
    return offer(to: id, mustAnswer: isNew || theirs.wantsAnswer, at: now)
  }

  /// Opens, changes or closes the path as both offers say.
  private mutating func updatePath(to id: Participant.ID) -> [Directive] {
    guard let peer = peers[id] else { return [] }
    guard isAllowed, let theirs = peer.theirs, theirs.isAllowed else {
      guard peer.opened != nil else { return [] }
      peers[id]?.opened = nil
      peers[id]?.path = nil
      return [.close(to: id)]
    }
    guard !theirs.candidates.isEmpty, peer.opened != theirs.candidates else { return [] }
    peers[id]?.opened = theirs.candidates
    return [.open(to: id, publicKey: theirs.exchangeKey, candidates: theirs.candidates)]
  }

  /// Opens or closes the path, and sends an offer if it differs from the last one, or if the other participant waits
  /// for it.
  private mutating func offer(
    to id: Participant.ID, mustAnswer: Bool = false, at now: HostTime
  ) -> [Directive] {
    let directives = updatePath(to: id)
    guard let peer = peers[id] else { return directives }
    let terms = Terms(
      isAllowed: isAllowed, candidates: isAllowed && peer.isAllowed ? candidates : [])
    // A participant that has nothing to offer and nothing to withdraw waits for a question.
    let isNews = peer.mine.map { $0 != terms } ?? isAllowed
    guard isNews || mustAnswer else { return directives }
    if peer.mine != terms {
      peers[id]?.mine = terms
      peers[id]?.number += 1
      peers[id]?.attempts = 0
    }
    return directives + send(to: id, at: now)
  }

  private mutating func send(to id: Participant.ID, at now: HostTime) -> [Directive] {
    guard var peer = peers[id], let mine = peer.mine else { return [] }
    if peer.waitsForAnswer, peer.attempts < Self.attemptLimit {
      let pause = min(Self.firstPause * (1 << peer.attempts), Self.longestPause)
      peer.attempts += 1
      peer.repeatAt = now + pause
    } else {
      peer.repeatAt = nil
    }
    peers[id] = peer
    let offer = PathOffer(
      number: peer.number, received: peer.theirs?.number ?? 0, isAllowed: mine.isAllowed,
      wantsAnswer: peer.waitsForAnswer, exchangeKey: publicKey, candidates: mine.candidates)
    return [.offer(offer, to: id)]
  }

  /// Repeats the offers that no answer has named.
  mutating func timerFired(at now: HostTime) -> [Directive] {
    let due = peers.filter { entry in entry.value.repeatAt.map { $0 <= now } ?? false }
    return due.keys.sorted().flatMap { send(to: $0, at: now) }
  }

  /// The link is back: offers may have been lost with it.
  mutating func linkReturned(at now: HostTime) {
    for (id, peer) in peers where peer.waitsForAnswer {
      peers[id]?.attempts = 0
      peers[id]?.repeatAt = now
    }
  }

  // MARK: - The paths

  /// - Returns: false if the path isn't wanted any more.
  mutating func opened(_ path: OpenPath, to id: Participant.ID) -> Bool {
    guard peers[id]?.opened != nil else { return false }
    peers[id]?.path = path
    peers[id]?.unanswered = 0
    return true
  }

  mutating func lost(to id: Participant.ID) { peers[id]?.path = nil }

  /// Chooses the way of a probe, and counts it.
  mutating func probeSent(to id: Participant.ID) -> Way {
    guard let peer = peers[id], peer.path != nil else { return .relay }
    peers[id]?.unanswered += 1
    return peer.unanswered < Self.doubtfulCount ? .path : .both
  }

  /// An answer arrived on the path.
  mutating func answered(by id: Participant.ID) { peers[id]?.unanswered = 0 }
}
