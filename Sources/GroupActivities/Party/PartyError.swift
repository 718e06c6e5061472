/// A failed call on a party.
public enum PartyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The connection to a broker failed, or the broker doesn't admit this party's participants.
  case transport(TransportError)
  /// The broker answers, but no participant of the party answered in time.
  case nobodyHere
  /// The participants of the party speak another version of the protocol, whose number this is.
  case otherProtocol(UInt8)
  /// The party hasn't admitted this participant yet, or this participant has left it.
  case notJoined
  /// The encoded value exceeds its limit; both in bytes.
  case tooLarge(bytes: Int, limit: Int)
  /// The session is over, or another one has replaced it.
  case sessionOver
  /// A chat message or a name is empty once its control characters are removed.
  case emptyMessage
  /// The party's rules don't allow this participant's action.
  case notPermitted
  /// The stored rules of the party can't be read, or belong to another party.
  case damagedPolicyLog
  /// This participant changed the party's rules as often as the others accept.
  case rulesExhausted
  /// More messages than the others accept at once, or than can be stored while the link is down. Send them
  /// later.
  case tooManyMessages
  /// The value can't be encoded as JSON.
  case notEncodable(String)

  public var description: String {
    switch self {
    case .transport(let error): error.description
    case .nobodyHere:
      "Nobody in this party answers. The host may have left, or closed it to newcomers. "
        + "Ask for a new invite."
    case .otherProtocol(let version):
      "This party speaks another protocol (\(version)) than this program (\(EnvelopeSealer.version)). "
        + "Update the older program, so that all use the same version."
    case .notJoined: "You're not in a party."
    case .tooLarge(let bytes, let limit):
      "The message has \(bytes) bytes, more than the limit of \(limit)."
    case .sessionOver: "This session is over."
    case .notPermitted: "Only hosts of this party may do that."
    case .damagedPolicyLog:
      "The rules that were stored with this party can't be read: they are damaged, or a program of another version "
        + "stored them. Forget the party, then open a new one."
    case .rulesExhausted:
      "You changed the rules of this party as often as the others accept. "
        + "Ask its host for this change, or open a new party."
    case .emptyMessage: "The message is empty."
    case .tooManyMessages: "Too many messages at once. Try again in a moment."
    case .notEncodable(let reason): "The message can't be encoded: \(reason)"
    }
  }
}
