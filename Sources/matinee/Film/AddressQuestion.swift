import Screening

/// A question to the user about the address of the party's film, to which the user hasn't agreed.
struct AddressQuestion: Hashable, Sendable {
  var origin: FilmOrigin
  var network: HostNetwork
  /// The address, cleaned for the screen.
  var location: String

  /// The question, as all faces show it.
  var asked: ScreeningEvent.FilmQuestion {
    .init(
      host: origin.host, origin: origin.description, url: location,
      isInOwnNetwork: network == .own)
  }
}

/// The consent that joining a party implies. It covers only a film that a host chose before the user joined, and
/// nothing in the user's own network: only the user knows whether such an address is intended.
struct JoiningConsent: Hashable, Sendable {
  /// A host or co-host of the party named the film and chose it.
  var isHostsChoice: Bool
  /// The film had been chosen when this participant joined.
  var precedesJoining: Bool
  var network: HostNetwork

  var isGiven: Bool { isHostsChoice && precedesJoining && network == .internet }
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
