import Foundation

/// Sends values between the participants of one session.
///
/// A message reaches the participants that have joined when it is sent. A participant that sees a late joiner
/// arrive sends it what it needs (rule 6 of the group's behavior). Everything is sealed and signed like the
/// rest of the party's traffic.
///
/// Mirrors `GroupActivities.GroupSessionMessenger`.
public final class GroupSessionMessenger: Sendable {
  /// The reliability of a message's delivery. Mirrors `GroupSessionMessenger.DeliveryMode`.
  public enum DeliveryMode: Hashable, Sendable {
    /// Exactly once and in the sender's order, also across a broken and repaired connection; possibly late.
    case reliable
    /// At most once, immediately or not at all, in any order.
    case unreliable
  }

  /// The context of a received message. Mirrors `GroupSessionMessenger.MessageContext`.
  public struct MessageContext: Hashable, Sendable {
    /// The sender, proven by its key.
    public let source: Participant
  }

  /// The largest message, in bytes when encoded.
  public static let sizeLimit = AppMessage.sizeLimit

  /// The reliability of every message that this messenger sends. It doesn't limit what is received.
  public let deliveryMode: DeliveryMode
  private let session: GroupSessionID
  private let party: Party
  private let mailbox: Mailbox

  /// Creates a messenger.
  ///
  /// - Parameters:
  ///   - session: the session. Messages without a reader are kept from the session's start, up to 1 MiB; the oldest are
  ///     dropped first.
  ///   - deliveryMode: the way in which the messages are sent.
  public init<Activity: GroupActivity>(
    session: GroupSession<Activity>, deliveryMode: DeliveryMode = .reliable
  ) {
    self.session = session.id
    self.deliveryMode = deliveryMode
    party = session.party
    mailbox = session.mailbox
  }

  /// Sends a value, encoded as JSON, under its type's stable name (``CustomMessageIdentifiable``).
  ///
  /// - Parameters:
  ///   - message: the value.
  ///   - participants: the recipients. This participant never receives its own messages.
  /// - Throws: ``PartyError/tooLarge(bytes:limit:)`` over 256 KiB, ``PartyError/tooManyMessages`` over a
  ///   hundred messages (of 32 KiB each) in a second, ``PartyError/notEncodable(_:)``,
  ///   ``PartyError/sessionOver``, ``PartyError/notJoined``.
  public func send<Message: Codable & Sendable>(
    _ message: Message, to participants: Participants = .all
  ) async throws(PartyError) {
    let data: Data
    do {
      data = try JSONEncoder().encode(message)
    } catch {
      throw .notEncodable("\(error)")
    }
    try await send(data, named: MessageName(of: Message.self), to: participants)
  }

  /// Sends bytes unchanged.
  ///
  /// - Throws: like ``send(_:to:)-(Message,_)``.
  public func send(
    _ data: Data, to participants: Participants = .all
  ) async throws(PartyError) {
    try await send(data, named: .bytes, to: participants)
  }

  /// Returns the other participants' messages of one type, each once, beginning with those that were kept.
  /// Several loops may read them; each gets all.
  ///
  /// A message that can't be decoded, or comes from a newer version of its type, is skipped and reported with
  /// ``PartyEvent/skippedMessage(type:version:from:)``. A loop that is a thousand messages behind loses the
  /// newest, which is reported too.
  public func messages<Message: Codable & Sendable>(
    of type: Message.Type
  ) -> AsyncStream<(Message, MessageContext)> {
    let name = MessageName(of: type)
    return stream(name) { try? JSONDecoder().decode(type, from: $0) }
  }

  /// Returns the other participants' messages that were sent as bytes.
  public func messages(of type: Data.Type) -> AsyncStream<(Data, MessageContext)> {
    stream(.bytes) { $0 }
  }

  private func send(
    _ data: Data, named name: MessageName, to participants: Participants
  ) async throws(PartyError) {
    try await party.send(
      data, named: name, session: session, to: participants,
      isLoose: deliveryMode == .unreliable)
  }

  private func stream<Message: Sendable>(
    _ name: MessageName, decode: @escaping @Sendable (Data) -> Message?
  ) -> AsyncStream<(Message, MessageContext)> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (Message, MessageContext).self, bufferingPolicy: .bufferingOldest(1024))
    let reader = Mailbox.Reader(version: name.version) { data, source in
      guard let message = decode(data) else { return false }
      if case .dropped = continuation.yield((message, MessageContext(source: source))) {
        return false
      }
      return true
    } finish: {
      continuation.finish()
    }
    let id = mailbox.add(reader, for: name.text)
    continuation.onTermination = { [mailbox] _ in
      if let id { mailbox.remove(id, for: name.text) }
    }
    return stream
  }
}

/// A message type with its own stable name on the wire, instead of the Swift type's, and with versions.
///
/// Mirrors `GroupActivities.CustomMessageIdentifiable`; versions are ours.
public protocol CustomMessageIdentifiable {
  /// The type's name, the same in every program and version that knows the message; 1 to 128 bytes. The
  /// default for other types is the Swift type's name.
  static var messageIdentifier: String { get }
  /// The version, to be raised when an older program could no longer understand the message.
  static var messageVersion: Int { get }
}

extension CustomMessageIdentifiable {
  /// Version 1, for a type that has never changed incompatibly.
  public static var messageVersion: Int { 1 }
}

extension MessageName {
  /// The name of a type: its stable one if it has one.
  package init(of type: (some Sendable).Type) {
    if let type = type as? any CustomMessageIdentifiable.Type {
      self.init(text: "app." + type.messageIdentifier, version: type.messageVersion)
    } else {
      self.init(text: "app." + String(describing: type), version: 1)
    }
  }
}
