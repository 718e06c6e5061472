import GroupActivities
import WatchTogether

/// An origin that a film needs and that the user hasn't agreed to.
package struct OriginRefusal: Hashable, Sendable {
  package var origin: FilmOrigin
  /// The network of its addresses; nil if they weren't looked up.
  package var network: HostNetwork?
  /// The requested URL.
  package var location: String

  package init(origin: FilmOrigin, network: HostNetwork? = nil, location: String) {
    self.origin = origin
    self.network = network
    self.location = location
  }
}

/// The servers to which the user has agreed, the question about the next one, and the copies that the user named.
struct Consent: Hashable, Sendable {
  private(set) var policy = URLPolicy()
  /// The copies of films that the user named, by identifier.
  private(set) var copies: [String: FilmIdentity] = [:]
  /// A Boolean value that indicates whether the user said that the file that it named is the party's film.
  private(set) var namesSameFilm = false
  /// The question about a server, as it was put to the user last.
  private(set) var question: AddressQuestion?
  /// The item for which the user declined the last question's server, which can still be allowed; nil for none.
  private(set) var declinedItem: String?
  private var limit = QuestionLimit()
  /// The server of the party's first film, while its network is looked up.
  private var arriving: FilmOrigin?

  /// - Parameters:
  ///   - hosts: the servers that the user trusts permanently.
  ///   - locations: films that the user named, which are loaded beside films of other participants.
  mutating func begin(trusting hosts: [String], naming locations: [String]) {
    for host in hosts { policy.allow(trusted: host) }
    for location in locations { policy.allow(originOf: location) }
  }

  /// - Parameter isSameFilm: whether the only file among them is the party's film in another copy.
  mutating func named(_ films: [FilmIdentity], isSameFilm: Bool) {
    namesSameFilm = isSameFilm
    remember(films)
  }

  /// Remembers copies that the user named. A copy is opened instead of the party's address if it is the same film.
  mutating func remember(_ films: [FilmIdentity]) {
    for film in films {
      copies[film.identifier] = film
      policy.allow(originOf: film.location)
    }
  }

  /// Returns the way to a film of which the user has no copy.
  ///
  /// - Parameter isFresh: true if one of the files that the user named was written to a moment ago.
  func way(
    to entry: PlaylistEntry, by chooser: Chooser, isFresh: Bool
  ) -> FilmMachine<OriginRefusal>.Resolution {
    guard let location = entry.location else {
      return .missing(
        "The party watches the file “\(PartyText.clean(entry.title, limit: 200))”. Open your own copy, or add "
          + "the folder with your films to the library: the right copy then opens by itself."
          + otherFile(isFresh: isFresh))
    }
    switch policy.verdict(on: location) {
    case .open: return .film(foreign(entry, at: location), chooser)
    case .ask(let origin): return .ask(OriginRefusal(origin: origin, location: location))
    case .refuse(let reason): return .refused(reason)
    }
  }

  private func foreign(_ entry: PlaylistEntry, at location: String) -> FilmIdentity {
    FilmIdentity(
      identifier: entry.identifier, title: PartyText.clean(entry.title, limit: 200),
      location: location, isForeign: true)
  }

  /// Returns the streams whose content may be read, to find a copy of a film: the film's own if the user agreed to its
  /// server, or for a file those that the user named.
  func readableStreams(for entry: PlaylistEntry) -> [FilmIdentity] {
    guard let location = entry.location else {
      let named = copies.values.filter { $0.identifier == FilmIdentifier.ofStream($0.location) }
      return Array(named.prefix(Self.streamLimit))
    }
    return policy.verdict(on: location) == .open ? [foreign(entry, at: location)] : []
  }

  /// The maximum number of streams that are read for one film, each of which takes some seconds at most.
  private static var streamLimit: Int { 2 }

  /// The file that the user named, if it is the only one.
  var onlyFile: FilmIdentity? {
    let files = copies.values.filter(\.isIdentifiedByContent)
    return files.count == 1 ? files.first : nil
  }

  /// A file may be the film that the question is about; nil for none.
  mutating func compared(_ comparison: CopyComparison?) { question?.copy = comparison }

  /// The word about the files that the user named, none of which is the party's film.
  private func otherFile(isFresh: Bool) -> String {
    if copies.isEmpty { return "" }
    return " The file that you named is another copy, or another film"
      + (isFresh ? ", or isn't complete yet: it was written to a moment ago." : ".")
  }

  // MARK: - Questions

  /// Prepares the question to the user about a server.
  ///
  /// - Parameter film: the film's identifier.
  /// - Returns: a Boolean value that indicates whether one more question is acceptable.
  mutating func describe(
    _ refusal: OriginRefusal, in network: HostNetwork, film: String
  ) -> Bool {
    question = AddressQuestion(
      origin: refusal.origin, network: network,
      location: PartyText.clean(refusal.location, limit: 300))
    return limit.mayAsk(about: film)
  }

  /// The user doesn't agree to the server that the question is about.
  mutating func decline(for item: String?) { declinedItem = item }

  /// Allows the origin of the question that the user has answered, perhaps after declining it.
  ///
  /// - Returns: the origin to trust permanently; nil for none. A playlist may name other files tomorrow.
  mutating func agree(forGood: Bool) -> FilmOrigin? {
    guard let question else { return nil }
    declinedItem = nil
    policy.allow(question.origin, on: question.network)
    return forGood && !question.origin.isList ? question.origin : nil
  }

  /// Revokes trust in one server, or in all servers of a host.
  mutating func distrust(_ text: String) {
    policy.forget(trusted: text)
    if let arriving, URLPolicy.isMeant(arriving.description, by: text) { self.arriving = nil }
  }

  // MARK: - Joining

  /// Returns the server whose network decides whether joining implied consent to it; nil if it doesn't depend on that.
  ///
  /// Joining a party with an invite and without a film asks for the party's film. This implies consent, within limits:
  /// a film that the host's user didn't name implies none, nor does a restatement of what others chose.
  ///
  /// - Parameter rules: the party's rules.
  mutating func arrival(at start: SessionStart, _ rules: PartyRules) -> FilmOrigin? {
    guard copies.isEmpty, let location = start.list.current.location,
      case .ask(let origin) = policy.verdict(on: location), let chooser = start.chooser,
      start.isOwnFilm, rules.role(of: chooser) != .guest, start.precedesJoining
    else { return nil }
    arriving = origin
    return origin
  }

  /// Agrees to the server of the first film of the party. Only the user knows whether an address in the user's own
  /// network is intended.
  mutating func arrive(at origin: FilmOrigin, in network: HostNetwork) {
    guard arriving == origin else { return }
    arriving = nil
    if network == .internet { policy.allow(origin, on: .internet) }
  }
}

/// The limit of the questions about servers that one film may cause.
struct QuestionLimit: Hashable, Sendable {
  private var film: String?
  private var count = 0

  /// The maximum number of questions. Pages fetch their film from several servers.
  static let limit = 8
  static let text =
    "This film needs more than \(limit) servers that you haven't agreed to. It isn't loaded."

  /// - Parameter film: the film's identifier.
  mutating func mayAsk(about film: String) -> Bool {
    if self.film != film { (self.film, count) = (film, 0) }
    guard count < Self.limit else { return false }
    count += 1
    return true
  }
}

/// The state of a session that this participant joins.
package struct SessionStart: Hashable, Sendable {
  package var list: Playlist
  /// The participant who chose the current film; nil if another one restated the choice.
  package var chooser: Participant.ID?
  /// A Boolean value that indicates whether the chooser's user named the current film.
  package var isOwnFilm: Bool
  /// A Boolean value that indicates whether the film had been chosen when this participant joined the party.
  package var precedesJoining: Bool

  package init(
    list: Playlist, chooser: Participant.ID?, isOwnFilm: Bool = false, precedesJoining: Bool = false
  ) {
    self.list = list
    self.chooser = chooser
    self.isOwnFilm = isOwnFilm
    self.precedesJoining = precedesJoining
  }
}
