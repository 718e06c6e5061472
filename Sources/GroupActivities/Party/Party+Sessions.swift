import Foundation
import Timekeeping

/// Activities, sessions, and their messages.
extension Party {
  /// Starts a session for all participants.
  ///
  /// - Parameter activity: the activity, encoded; at most ``SessionRegister/activityLimit`` bytes.
  func activate(
    _ activity: Data, kind: String, endsWithInitiator: Bool
  ) throws(PartyError) {
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard
      let actions = machine.activate(
        identifier: kind, activity: activity, endsWithInitiator: endsWithInitiator, at: .now())
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

  /// Delivers the current session of a kind of activity, and each new one, to a reader.
  ///
  /// - Parameter make: creates the sessions of this kind; the first reader's counts.
  /// - Returns: the reader's number, for ``stopDelivering(_:to:)``; nil if the party is over and the reader finished.
  func deliverSessions(
    of kind: String, madeBy make: @escaping SessionFactory.Make, to reader: SessionFactory.Reader
  ) -> Int? {
    guard !isClosed else {
      reader.finish()
      return nil
    }
    let number = sessionFactories[kind, default: SessionFactory(make: make)].add(reader)
    machine.sessions.takePart(in: kind)
    guard machine.joinedAt != nil,
      let register = machine.sessions.current.first(where: { $0.activityIdentifier == kind })
    else { return number }
    if let session = sessions[register.id] {
      reader.deliver(session)
    } else {
      makeSession(register)
    }
    return number
  }

  func join(sessionID: GroupSessionID) {
    guard let session = sessions[sessionID] else { return }
    session.didJoin()
    perform(machine.joinSession(sessionID, at: .now()))
  }

  func leave(sessionID: GroupSessionID) {
    guard sessions[sessionID] != nil else { return }
    endSession(sessionID, .left)
    perform(machine.leaveSession(sessionID, at: .now()))
  }

  func end(sessionID: GroupSessionID) throws(PartyError) {
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard let actions = machine.changeSession(sessionID, at: .now(), { $0.ended = true }) else {
      throw .sessionOver
    }
    perform(actions)
  }

  /// Changes a session's activity for all participants.
  ///
  /// - Parameters:
  ///   - activity: the activity, encoded; at most ``SessionRegister/activityLimit`` bytes.
  ///   - isRestated: false if it is this user's choice.
  func change(
    sessionID: GroupSessionID, to activity: Data, isRestated: Bool
  ) throws(PartyError) {
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard
      let actions = machine.changeSession(
        sessionID, at: .now(),
        {
          $0.activity = activity
          $0.isRestated = isRestated
        })
    else { throw .sessionOver }
    perform(actions)
  }

  func makeSession(_ register: SessionRegister) {
    guard let factory = sessionFactories[register.activityIdentifier],
      let session = factory.make(register, self)
    else { return }
    sessions[register.id] = session
    session.update(participants: machine.members(of: register.id))
    for reader in factory.readers.values { reader.deliver(session) }
  }

  func stopDelivering(_ kind: String, to reader: Int) {
    sessionFactories[kind]?.readers[reader] = nil
  }

  func sessionChanged(_ register: SessionRegister, by: Participant.ID) {
    let kind = register.activityIdentifier
    if register.ended {
      endSession(register.id, .ended(by: by))
      eventContinuation.yield(.sessionEnded(kind, by: by))
      return
    }
    if let session = sessions[register.id] {
      session.update(register)
    } else {
      makeSession(register)
    }
    eventContinuation.yield(.activityChanged(kind, by: by))
  }

  /// Ends a session for this participant, with its lanes.
  func endSession(_ id: GroupSessionID, _ reason: InvalidationReason) {
    sessions.removeValue(forKey: id)?.invalidate(reason)
    endLanes(of: id)
  }

  func updateMembers() {
    for session in sessions.values {
      session.update(participants: machine.members(of: session.id))
    }
  }

  // MARK: - Messages of sessions

  func send(
    _ data: Data, named name: MessageName, session: GroupSessionID, to participants: Participants,
    isLoose: Bool
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
    guard let actions = machine.send(message, isLoose: isLoose, at: .now()) else {
      throw .tooManyMessages
    }
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
    guard !session.deliver(message, from: source) else { return }
    let type = PartyText.clean(message.type, limit: AppMessage.typeLimit)
    guard foreignPrograms.isNew(part: "message \(type) \(message.version)") else { return }
    eventContinuation.yield(.skippedMessage(type: type, version: message.version, from: source))
  }

  func requestForeground() { eventContinuation.yield(.foregroundRequested) }
}
