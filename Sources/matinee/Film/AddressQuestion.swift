/// A question to the user: the party's film is at an address that the user hasn't agreed to.
struct AddressQuestion: Hashable, Sendable {
  var origin: Origin
  var network: HostNetwork
  /// Cleaned.
  var location: String

  var text: String {
    switch network {
    case .own: "Load the film from \(origin.server)? This address is on your own network."
    case .internet, .unknown: "Load the film from \(origin.server)?"
    }
  }
}

/// The consent that joining a party gives: to what a host had chosen by then, and to nothing in one's own network, which
/// only the user knows to be meant.
struct JoiningConsent: Hashable, Sendable {
  /// A host or co-host of the party chose the film.
  var isHostsChoice: Bool
  /// The film had been chosen when this participant joined.
  var precedesJoining: Bool
  var network: HostNetwork

  var isGiven: Bool { isHostsChoice && precedesJoining && network == .internet }
}
