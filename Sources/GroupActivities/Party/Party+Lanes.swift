import Concurrency
import Foundation
import Timekeeping

/// An open lane, as its party sees it.
struct LaneLink: Sendable {
  var name: String
  /// The session, which another object may replace under the same id once this participant left it.
  var session: any PartySession
  var inbox: BoundedInbox<LaneEvent>
  /// Fulfilled once the lane's user needs it no more.
  var isClosed: OneShot<Void>
}

/// The lanes of a party's sessions in this program.
struct Lanes: Sendable {
  var links: [UUID: LaneLink] = [:]
  /// The numbers that this participant has ever taken on each lane.
  var numbers: [Name: Int] = [:]

  struct Name: Hashable {
    var session: GroupSessionID
    var lane: String
  }
}

/// The services of a party for lanes.
extension Party {
  /// The time for which a party that is left waits for the users of its lanes.
  private static let closingTime = Duration.seconds(5)

  /// Opens a lane: its inbox gets the present conditions at once, and then each change and message.
  func openLane(_ id: UUID, _ link: LaneLink) {
    guard link.isClosed.current == nil else { return }
    guard let session = sessions[link.session.id], session === link.session else {
      return link.inbox.finish()
    }
    lanes.links[id] = link
    link.inbox.putEssential(.changed(laneConditions(of: session.id)))
  }

  func closeLane(_ id: UUID) { lanes.links[id] = nil }

  /// Ends the lanes of a session that is over.
  func endLanes(of session: GroupSessionID) {
    for lane in lanes.links.values where lane.session.id == session { lane.inbox.finish() }
  }

  /// Ends all lanes. The process may end right after the party, so this waits until their users have cleaned up.
  func endLanes() async {
    let links = lanes.links.values
    for lane in links { lane.inbox.finish() }
    let deadline = SuspendingClock.now + Self.closingTime
    for lane in links { await lane.isClosed.value(atMost: max(deadline - .now, .zero)) }
  }

  func updateLanes() {
    for lane in lanes.links.values {
      lane.inbox.putEssential(.changed(laneConditions(of: lane.session.id)))
    }
  }

  private func laneConditions(of session: GroupSessionID) -> LaneConditions {
    LaneConditions(participants: machine.seniors(in: session), isConnected: machine.isConnected)
  }

  func deliver(_ packet: LanePacket, from sender: Participant.ID) {
    for lane in lanes.links.values
    where lane.session.id == packet.session && lane.name == packet.lane {
      lane.inbox.put(.received(packet.data, from: sender))
    }
  }

  /// - Returns: false if the broker didn't admit it, or the link is down.
  func subscribe(to topic: [UInt8]) async -> Bool {
    do {
      try await transport.subscribe(to: keys.subjects.topic(topic))
      return true
    } catch {
      return false
    }
  }

  func unsubscribe(from topic: [UInt8]) {
    transport.unsubscribe(from: keys.subjects.topic(topic))
  }

  /// Sends messages. Those sent while the link is down get lost.
  func send(
    _ messages: [(data: Data, recipient: PartyAction.Recipient)], lane: String,
    session: GroupSessionID
  ) {
    perform(
      messages.flatMap {
        machine.send(LanePacket(session: session, lane: lane, data: $0.data), to: $0.recipient)
      })
  }

  /// Returns the next number on a lane, never returned before.
  func nextNumber(lane: String, session: GroupSessionID) throws(PartyError) -> Int {
    guard sessions[session] != nil else { throw .sessionOver }
    guard machine.sessions.joined.contains(session) else { throw .notJoined }
    let name = Lanes.Name(session: session, lane: lane)
    let number = lanes.numbers[name, default: 0]
    lanes.numbers[name] = number + 1
    return number
  }

  /// Reports a participant that is in the party to this program's user.
  func warn(about id: Participant.ID, _ offence: String) {
    guard let name = machine.others.first(where: { $0.id == id })?.name else { return }
    eventContinuation.yield(.warning("\(name) \(offence)"))
  }
}
