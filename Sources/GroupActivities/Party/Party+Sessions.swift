import Foundation
import Timekeeping

/// Activities, sessions, and their messages.
extension Party {
  func activate<A: GroupActivity>(
    _ activity: A, lifetimePolicy: GroupActivityMetadata.LifetimePolicy
  ) throws(PartyError) {
    let data = try encode(activity)
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard
      let actions = machine.activate(
        identifier: A.activityIdentifier, activity: data,
        endsWithInitiator: lifetimePolicy == .endsWhenInitiatorLeaves, at: .now())
    else { throw .notJoined }
    perform(actions)
  }

  /// Sets the closure that ``GroupActivity/prepareForActivation(in:)`` calls, for example to show a dialog.
  public func setActivationPreparer(
    _ preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) {
    activationPreparer = preparer
  }

  func prepareForActivation(
    of metadata: GroupActivityMetadata
  ) async -> GroupActivityActivationResult {
    await activationPreparer?(metadata) ?? .activationPreferred
  }

  /// The group time at which this participant joined; nil before.
  package var arrival: GroupTime? { machine.joinedAt }

  var isJoined: Bool { !isClosed && machine.joinedAt != nil }

  /// The number of sessions that wait for one reader. Beyond it the oldest are dropped: newer ones have replaced them.
  private static let waitingSessionLimit = 16

  func sessions<A: GroupActivity>(of type: A.Type) -> AsyncStream<GroupSession<A>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: GroupSession<A>.self, bufferingPolicy: .bufferingNewest(Self.waitingSessionLimit))
    if isClosed {
      continuation.finish()
      return stream
    }
    var factory =
      sessionFactories[A.activityIdentifier]
      ?? SessionFactory { register, party in
        guard let activity = try? decodeActivity(A.self, from: register) else { return nil }
        return GroupSession<A>(
          id: register.id, initiator: register.initiator, activity: activity, stamp: register.stamp,
          party: party)
      }
    let reader = factory.add { session in
      if let session = session as? GroupSession<A> { continuation.yield(session) }
    } finish: {
      continuation.finish()
    }
    sessionFactories[A.activityIdentifier] = factory
    continuation.onTermination = { [weak self] _ in
      Task { await self?.stopDelivering(A.activityIdentifier, to: reader) }
    }
    let identifier = A.activityIdentifier
    guard machine.joinedAt != nil,
      let register = machine.sessions.current.first(where: { $0.activityIdentifier == identifier })
    else { return stream }
    if let session = sessions[register.id] {
      if let session = session as? GroupSession<A> { continuation.yield(session) }
    } else {
      makeSession(register)
    }
    return stream
  }

  func join(sessionID: GroupSessionID) {
    guard let session = sessions[sessionID] else { return }
    session.didJoin()
    perform(machine.joinSession(sessionID, at: .now()))
  }

  func leave(sessionID: GroupSessionID) {
    guard let session = sessions.removeValue(forKey: sessionID) else { return }
    session.invalidate(.left)
    perform(machine.leaveSession(sessionID, at: .now()))
  }

  func end(sessionID: GroupSessionID) throws(PartyError) {
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard let actions = machine.changeSession(sessionID, at: .now(), { $0.ended = true }) else {
      throw .sessionOver
    }
    perform(actions)
  }

  func change<A: GroupActivity>(sessionID: GroupSessionID, to activity: A) throws(PartyError) {
    let data = try encode(activity)
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard let actions = machine.changeSession(sessionID, at: .now(), { $0.activity = data }) else {
      throw .sessionOver
    }
    perform(actions)
  }

  func encode(_ activity: some GroupActivity) throws(PartyError) -> Data {
    let data: Data
    do {
      data = try JSONEncoder().encode(activity)
    } catch {
      preconditionFailure("the activity can't be encoded: \(error)")
    }
    guard data.count <= SessionRegister.activityLimit else {
      throw .tooLarge(bytes: data.count, limit: SessionRegister.activityLimit)
    }
    return data
  }

  func makeSession(_ register: SessionRegister) {
    guard let factory = sessionFactories[register.activityIdentifier],
      let session = factory.make(register, self)
    else { return }
    sessions[register.id] = session
    session.update(participants: machine.members(of: register.id))
    for reader in factory.readers.values { reader.deliver(session) }
  }

  private func stopDelivering(_ kind: String, to reader: Int) {
    sessionFactories[kind]?.readers[reader] = nil
  }

  func sessionChanged(_ register: SessionRegister, by: Participant.ID) {
    let kind = register.activityIdentifier
    if register.ended {
      sessions.removeValue(forKey: register.id)?.invalidate(.ended(by: by))
      eventContinuation.yield(.sessionEnded(kind, by: by))
      return
    }
    if let session = sessions[register.id] {
      session.update(register, by: by)
    } else {
      makeSession(register)
    }
    eventContinuation.yield(.activityChanged(kind, by: by))
  }

  func updateMembers() {
    for session in sessions.values {
      session.update(participants: machine.members(of: session.id))
    }
  }

  // MARK: - Messages of sessions

  func send(
    _ data: Data, named name: MessageName, session: GroupSessionID, to participants: Participants,
    deliveryMode: GroupSessionMessenger.DeliveryMode
  ) throws(PartyError) {
    guard sessions[session] != nil else { throw .sessionOver }
    guard machine.sessions.joined.contains(session) else { throw .notJoined }
    guard data.count <= AppMessage.sizeLimit else {
      throw .tooLarge(bytes: data.count, limit: AppMessage.sizeLimit)
    }
    precondition(
      (1...AppMessage.typeLimit).contains(name.text.utf8.count), "a message type named \(name.text)"
    )
    var recipients: [Participant.ID]?
    if case .only(let some) = participants { recipients = some.map(\.id).sorted() }
    let message = AppMessage(
      session: session, type: name.text, version: name.version, data: data, recipients: recipients)
    guard
      let actions = machine.send(message, isLoose: deliveryMode == .unreliable, at: .now())
    else { throw .tooManyMessages }
    perform(actions)
  }

  func deliver(_ message: AppMessage, from sender: Participant.ID) {
    guard let session = sessions[message.session],
      let source = machine.others.first(where: { $0.id == sender })
    else { return }
    if message.type == MessageName.notice.text {
      if let notice = GroupSessionEvent(decoding: message.data, from: source) {
        eventContinuation.yield(.notice(notice))
      }
      return
    }
    let isTaken = session.mailbox.deliver(
      message.data, type: message.type, version: message.version, from: source)
    guard !isTaken else { return }
    eventContinuation.yield(
      .skippedMessage(
        type: PartyText.clean(message.type, limit: AppMessage.typeLimit),
        version: message.version, from: source))
  }

  func requestForeground() { eventContinuation.yield(.foregroundRequested) }
}

/// Creates sessions of one kind of activity and delivers them to its readers.
struct SessionFactory {
  struct Reader: Sendable {
    var deliver: @Sendable (any AnyGroupSession) -> Void
    var finish: @Sendable () -> Void
  }

  let make: @Sendable (SessionRegister, Party) -> (any AnyGroupSession)?
  var readers: [Int: Reader] = [:]
  private var lastReader = 0

  init(make: @escaping @Sendable (SessionRegister, Party) -> (any AnyGroupSession)?) {
    self.make = make
  }

  mutating func add(
    deliver: @escaping @Sendable (any AnyGroupSession) -> Void,
    finish: @escaping @Sendable () -> Void
  ) -> Int {
    lastReader += 1
    readers[lastReader] = Reader(deliver: deliver, finish: finish)
    return lastReader
  }
}

func decodeActivity<A: GroupActivity>(_ type: A.Type, from register: SessionRegister) throws -> A {
  try JSONDecoder().decode(A.self, from: register.activity)
}
