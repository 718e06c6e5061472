/// The party that oneself is in.
public struct PartyModel: Hashable, Sendable {
  /// The state of the connection to the others.
  public enum Link: Hashable, Sendable {
    case connecting
    /// Connected; everything that is sent is encrypted from end to end.
    case encrypted
    /// The connection is gone and is being made again.
    case reconnecting
  }

  /// "crisp-otter"
  public var name: TerminalText
  /// The state of the connection to the others.
  public var link: Link
  /// The text that lets others in, as it is to be copied; nil if oneself may not invite.
  public var invite: String?
  /// Oneself opened the party, so that it can be ended for everyone.
  public var isHost: Bool
  /// How many others lose the party if the person leaves it: this program is its relay.
  public var othersLosingParty = 0
  /// Where others reach it, if that is known.
  public var places: [Place]
  /// What doesn't work about that, and what to do; nil if nothing is the matter.
  public var advice: TerminalText?

  /// One of the invite's addresses.
  public struct Place: Hashable, Sendable {
    /// "internet", "this network"
    public var kind: TerminalText
    /// "192.168.1.5:62846"
    public var address: TerminalText

    public init(kind: TerminalText, address: TerminalText) {
      self.kind = kind
      self.address = address
    }
  }

  public init(
    name: TerminalText, link: Link, invite: String? = nil, isHost: Bool = false,
    places: [Place] = [], advice: TerminalText? = nil, othersLosingParty: Int = 0
  ) {
    self.othersLosingParty = othersLosingParty
    self.places = places
    self.advice = advice
    self.name = name
    self.link = link
    self.invite = invite
    self.isHost = isHost
  }
}
