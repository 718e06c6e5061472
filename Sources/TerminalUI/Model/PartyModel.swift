/// The party of the participant at this terminal.
package struct PartyModel: Hashable, Sendable {
  /// The state of the connection to the others.
  package enum Link: Hashable, Sendable {
    /// Connected; all messages are encrypted from end to end.
    case encrypted
    /// Connected; a friend takes part with Syncplay's client or in a room on its server, and isn't encrypted on the way
    /// there.
    case partlyEncrypted
    /// Connected; the others are in a room of Syncplay's protocol, whose server reads everything. Others on the way do too,
    /// unless the connection to it is encrypted.
    case room(isEncrypted: Bool)
    /// The connection is lost, and the program tries to connect again.
    case reconnecting
  }

  /// The party's name: "crisp-otter".
  package var name: TerminalText
  /// The state of the connection to the others.
  package var link: Link
  /// The invite as text to copy; nil if this participant may not invite.
  package var invite: String?
  /// A Boolean value that indicates whether this participant opened the party, and can end it for everyone.
  package var isHost: Bool
  /// A Boolean value that indicates whether this participant may control the party's playback, or its own at its own
  /// pace.
  package var mayControl: Bool
  /// The number of other participants who lose the party if this one leaves it, because this program is its relay.
  package var othersLosingParty = 0
  /// The addresses at which others reach the party, if they are known.
  package var places: [Place]
  /// The problem with those addresses and its solution; nil if there is none.
  package var advice: TerminalText?
  /// The people who can join while there is a problem, in one sentence; nil without a problem.
  package var limit: TerminalText?

  /// One of the invite's addresses.
  package struct Place: Hashable, Sendable {
    /// The address's reach: "internet", "this network".
    package var kind: TerminalText
    /// The address and port: "192.168.1.5:62846"; nil while the router hasn't answered.
    package var address: TerminalText?

    package init(kind: TerminalText, address: TerminalText?) {
      self.kind = kind
      self.address = address
    }
  }

  package init(
    name: TerminalText, link: Link, invite: String? = nil, isHost: Bool = false,
    places: [Place] = [], advice: TerminalText? = nil, limit: TerminalText? = nil,
    othersLosingParty: Int = 0, mayControl: Bool = true
  ) {
    self.limit = limit
    self.mayControl = mayControl
    self.othersLosingParty = othersLosingParty
    self.places = places
    self.advice = advice
    self.name = name
    self.link = link
    self.invite = invite
    self.isHost = isHost
  }
}
