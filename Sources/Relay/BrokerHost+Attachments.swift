import NATSProtocol
import Timekeeping

/// The participants in the relay's own process, without sockets.
extension BrokerHost {
  enum AttachmentRefusal: Error { case notAdmitted, stopped }

  func attach(
    _ inbox: LoopbackTransport.Inbox, admissionPublicKey: [UInt8]
  ) -> Result<ConnectionID, AttachmentRefusal> {
    guard !isShuttingDown else { return .failure(.stopped) }
    let now = HostTime.now()
    guard let id = broker.attach(admissionPublicKey: admissionPublicKey, now: now) else {
      return .failure(.notAdmitted)
    }
    attachments[id] = inbox
    performSoon()
    return .success(id)
  }

  /// - Returns: the text of the refusal, or nil.
  func subscribe(_ id: ConnectionID, to subject: Subject, group: String?) -> String? {
    // The subject is the subscription's identifier: subscribing twice has the effect of subscribing once.
    broker.subscribe(id, to: subject, group: group.map { Array($0.utf8) }, sid: subject.bytes)
  }

  func unsubscribe(_ id: ConnectionID, from subject: Subject) {
    broker.unsubscribe(id, sid: subject.bytes)
  }

  func publish(_ payload: [UInt8], to subject: Subject, from id: ConnectionID) {
    broker.publish(payload[...], to: subject, from: id)
    performSoon()
  }

  func detach(_ id: ConnectionID) {
    attachments[id] = nil
    broker.closed(id)
    performSoon()
  }

  func endAttachments() {
    for inbox in attachments.values { inbox.relayStopped() }
    attachments = [:]
  }
}
