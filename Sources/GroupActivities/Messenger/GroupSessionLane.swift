import Concurrency
import Foundation

/// A channel of a session for one protocol of a library: a transfer of files, a shared document, a game's state.
///
/// A ``GroupSessionMessenger`` repeats lost messages, in order; a lane doesn't. Its messages arrive at most once, in any
/// order, behind everything that people wait for, and within an allowance of their own (64 MiB a second), so that a
/// transfer neither delays nor displaces chat and commands. The library repairs what gets lost, as it sees fit. Like
/// all traffic, the messages are signed by their senders and sealed.
///
/// ```swift
/// let lane = GroupSessionLane("org.example.sketch", session: session)
/// for await event in await lane.events() {
///   switch event {
///   case .changed(let conditions): holders = conditions.participants
///   case .received(let data, let sender): apply(data, of: sender)
///   }
/// }
/// await lane.close()  // The session is over, or the lane is no longer needed.
/// ```
///
/// Lanes with the same name in one session are the same lane, also in other programs. `GroupJournal` is built on one,
/// through this interface alone.
///
/// Keep a reference to a lane while you read its events: it closes when the last one is gone, and an optimized program
/// gives references up after their last use.
public final class GroupSessionLane: Sendable {
  /// The recipients of a message.
  public enum Recipient: Hashable, Sendable {
    /// The other participants.
    case everyone
    /// One other participant.
    case only(Participant.ID)
    /// The other participants that subscribed to a topic of the lane. The message leaves this participant once, however
    /// many they are.
    case subscribers(of: String)
  }

  /// A message to be sent.
  public struct Message: Hashable, Sendable {
    /// At most ``GroupSessionLane/sizeLimit`` bytes.
    public var data: Data
    /// The participants that get the message.
    public var recipient: Recipient

    /// Creates a message.
    public init(_ data: Data, to recipient: Recipient = .everyone) {
      self.data = data
      self.recipient = recipient
    }
  }

  /// The largest message, in bytes. It fits one message of a broker, which accepts 64 KiB.
  public static let sizeLimit = LanePacket.sizeLimit

  /// The number of received messages that wait for a reader. Further ones are dropped.
  static let waitingLimit = 128

  /// The lane's name.
  public let name: String
  private let id = UUID()
  private let session: any PartySession
  private let party: Party
  private let inbox = BoundedInbox<LaneEvent>(costLimit: waitingLimit)
  private let isClosed = OneShot<Void>()

  /// Creates a lane, which opens with ``events()``.
  ///
  /// - Parameters:
  ///   - name: the lane's name, the same in every program that takes part in the protocol: 1 to 32 lower-case letters,
  ///     digits, dots and hyphens of ASCII. Begin it with a domain of yours, reversed.
  ///   - session: the session. Messages arrive once it is joined.
  public init<Activity: GroupActivity>(_ name: String, session: GroupSession<Activity>) {
    precondition(LanePacket.isValid(name: name), "a lane named \(name)")
    self.name = name
    self.session = session
    party = session.party
  }

  deinit {
    inbox.finish()
    isClosed.fulfil(())
    Task { [party, id] in await party.closeLane(id) }
  }

  /// This participant's id.
  public var localID: Participant.ID { party.localID }

  /// The party's time.
  public var clock: GroupClock { party.clock }

  // MARK: - Receiving

  /// Opens the lane and returns its events in order, for one reader, beginning with the present conditions.
  ///
  /// The stream ends when the session is over for this participant, or with ``close()``. A reader that is more than 128
  /// messages behind loses the newest. While the party is being left, it waits up to five seconds for each open lane's
  /// ``close()``, so that its user can clean up.
  public func events() async -> AsyncStream<LaneEvent> {
    await party.openLane(
      id, LaneLink(name: name, session: session, inbox: inbox, isClosed: isClosed))
    return inbox.makeStream()
  }

  /// Subscribes this participant to a topic of the lane, so that it also receives the messages to its subscribers
  /// (``Recipient/subscribers(of:)``), until ``unsubscribe(from:)`` or until the party is left. A topic is for messages
  /// that many participants need, but not all.
  ///
  /// - Parameter topic: a name that the lane's user chooses. The broker learns how many participants subscribe to the same
  ///   topic, but not its name.
  /// - Returns: false if the broker doesn't permit it or the link is down.
  public func subscribe(to topic: String) async -> Bool {
    await party.subscribe(to: name(of: topic))
  }

  /// Ends a subscription. Messages that are on their way may still arrive.
  public func unsubscribe(from topic: String) async {
    await party.unsubscribe(from: name(of: topic))
  }

  private func name(of topic: String) -> [UInt8] {
    LanePacket.topic(topic, lane: name, session: session.id)
  }

  /// Closes the lane permanently. Idempotent.
  public func close() async {
    isClosed.fulfil(())
    inbox.finish()
    await party.closeLane(id)
  }

  // MARK: - Sending

  /// Sends messages. They get lost while the link is down, and before this participant joined the session.
  ///
  /// - Throws: ``PartyError/tooLarge(bytes:limit:)`` over ``sizeLimit``; then none of them is sent.
  public func send(_ messages: [Message]) async throws(PartyError) {
    for message in messages where message.data.count > Self.sizeLimit {
      throw .tooLarge(bytes: message.data.count, limit: Self.sizeLimit)
    }
    await party.send(
      messages.map { message in
        switch message.recipient {
        case .everyone: (message.data, .everyone)
        case .only(let id): (message.data, .only(id))
        case .subscribers(let topic): (message.data, .subscribers(of: name(of: topic)))
        }
      }, lane: name, session: session.id)
  }

  /// Returns a number that this participant has never taken on this lane while it was in the party, from 0.
  ///
  /// - Throws: ``PartyError/sessionOver``, ``PartyError/notJoined`` before this participant joined the session.
  public func nextNumber() async throws(PartyError) -> Int {
    try await party.nextNumber(lane: name, session: session.id)
  }

  // MARK: - Proofs

  /// Returns the bytes that a proof of a statement covers. No other session, lane or kind of proof has the same.
  public func provenBytes(of statement: [UInt8]) -> [UInt8] {
    LanePacket.provenBytes(of: statement, lane: name, session: session.id)
  }

  /// Signs a statement as this participant's, so that others can pass it on.
  public func proof(of statement: [UInt8]) -> Proof {
    party.authorship.sign(provenBytes(of: statement))
  }

  /// Returns whether a participant made a statement, whichever participant passed it on.
  public func isProven(
    _ statement: [UInt8], by author: Participant.ID, _ proof: Proof
  ) -> Bool {
    party.authorship.isValid(proof, provenBytes(of: statement), author)
  }

  // MARK: - Offences

  /// Reports a participant that broke the lane's protocol, with ``PartyEvent/warning(_:)``.
  ///
  /// - Parameters:
  ///   - id: the participant.
  ///   - offence: the offence, as the rest of a sentence that begins with the participant's name.
  public func warn(about id: Participant.ID, _ offence: String) async {
    await party.warn(about: id, offence)
  }
}
