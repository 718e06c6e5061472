import GroupActivities
import Screening
import WatchTogether

/// The servers to which the user has agreed, and the question about the next one.
@ScreeningActor
final class ConsentRoom {
  /// The part of the library that remembers trusted servers.
  struct Links {
    var trustedHosts: @ScreeningActor () async -> [String]
    var trust: @ScreeningActor (FilmOrigin) async -> Void
  }

  private let links: Links
  private(set) var policy = URLPolicy() {
    didSet { policyChanged?(policy) }
  }
  private var limit = QuestionLimit()
  /// The question about a server, as it was put to the user last.
  private(set) var question: AddressQuestion?
  /// The copies of films that the user named, by identifier.
  private(set) var copies: [String: FilmIdentity] = [:]
  /// Called with each new policy; nil while no film depends on it.
  var policyChanged: (@ScreeningActor (URLPolicy) -> Void)?

  init(links: Links) { self.links = links }

  /// - Parameter locations: films that the user named, which are loaded beside films of other participants.
  func begin(allowing locations: [String]) async {
    for host in await links.trustedHosts() { policy.allow(trusted: host) }
    for location in locations { policy.allow(originOf: location) }
  }

  /// Remembers copies that the user named. A copy is opened instead of the party's address if it is the same film.
  func remember(_ films: [FilmIdentity]) {
    for film in films {
      copies[film.identifier] = film
      policy.allow(originOf: film.location)
    }
  }

  /// Allows the origin of the question that the user has answered.
  func allow(_ question: AddressQuestion, forGood: Bool) async {
    policy.allow(question.origin, on: question.network)
    // A playlist may name other files tomorrow.
    if forGood, !question.origin.isList { await links.trust(question.origin) }
  }

  /// Revokes trust in one server, or in all servers of a host.
  func distrust(_ text: String) { policy.forget(trusted: text) }

  /// Prepares the question to the user about a server.
  ///
  /// - Parameters:
  ///   - refusal: the server, and the address that leads there.
  ///   - film: the film's identifier.
  ///   - isWanted: returns false once another film was chosen.
  /// - Returns: a Boolean value that indicates whether one more question is acceptable; nil if it isn't wanted any more.
  func describe(
    _ refusal: OriginRefusal, film: String, while isWanted: () -> Bool
  ) async -> Bool? {
    let network: HostNetwork =
      if let known = refusal.network { known } else {
        await HostNetwork.find(refusal.origin.host)
      }
    guard isWanted() else { return nil }
    question = AddressQuestion(
      origin: refusal.origin, network: network,
      location: PartyText.clean(refusal.location, limit: 300))
    return limit.mayAsk(about: film)
  }

  /// Agrees to the server of the first film of a party that the user joined with an invite and without a film: joining
  /// asks for that film. This implies consent, within limits: a film that the host's user didn't name implies none, nor
  /// does a restatement of what others chose.
  func arrive(at decision: GroupSession<FilmActivity>.Decision, in party: Party) async {
    guard copies.isEmpty, let location = decision.activity.location,
      case .ask(let origin) = policy.verdict(on: location)
    else { return }
    guard let chooser = decision.by, decision.activity.isOwnFilm else { return }
    let arrival = await party.arrival
    var consent = JoiningConsent(
      isHostsChoice: await party.rules.role(of: chooser) != .guest,
      precedesJoining: arrival.map { decision.at <= $0 } ?? false, network: .unknown)
    // Resolving a name may take seconds.
    if consent.isHostsChoice, consent.precedesJoining {
      consent.network = await HostNetwork.find(origin.host)
    }
    if consent.isGiven { policy.allow(origin, on: .internet) }
  }
}
