import Foundation
import Timekeeping

/// An input that a journal gets from its party, in order.
enum JournalInput: Sendable {
  case received(Data, from: Participant.ID)
  /// The participants that have joined the session, longest in the party first.
  case members([Participant.ID])
  case link(isUp: Bool)
}

typealias JournalHandler = @Sendable (JournalInput) -> Void

/// A party's reference to a journal.
struct JournalLink: Sendable {
  var session: GroupSessionID
  var handler: JournalHandler
  /// Ends the journal. Returns when its files are removed.
  var end: @Sendable () async -> Void
}

/// The journals of a party's sessions in this program.
struct Journals: Sendable {
  var links: [UUID: JournalLink] = [:]
  /// The number of attachments that this participant has ever added to each session.
  var slots: [GroupSessionID: Int] = [:]
}

/// The services of a party for journals.
extension Party {
  /// - Parameter link: the journal. Its handler gets the current members and the state of the link at once,
  ///   and then each change.
  func beginJournal(_ id: UUID, _ link: JournalLink) {
    guard sessions[link.session] != nil else { return }
    journals.links[id] = link
    link.handler(.link(isUp: machine.isConnected))
    link.handler(.members(machine.seniors(in: link.session)))
  }

  func endJournal(_ id: UUID) { journals.links[id] = nil }

  func tellJournals(_ input: JournalInput) {
    for journal in journals.links.values { journal.handler(input) }
  }

  func tellJournalsWhoIsHere() {
    for journal in journals.links.values {
      journal.handler(.members(machine.seniors(in: journal.session)))
    }
  }

  func deliver(_ packet: JournalPacket, from sender: Participant.ID) {
    for journal in journals.links.values where journal.session == packet.session {
      journal.handler(.received(packet.data, from: sender))
    }
  }

  /// Returns the next number in this participant's count of its attachments, never given before, and the
  /// group's time.
  func journalSlot(session: GroupSessionID) throws(PartyError) -> (slot: Int, time: GroupTime) {
    guard sessions[session] != nil else { throw .sessionOver }
    guard machine.sessions.joined.contains(session),
      let time = machine.clockReading(at: .now())?.groupTime(at: .now())
    else { throw .notJoined }
    let slot = journals.slots[session, default: 0]
    journals.slots[session] = slot + 1
    return (slot, time)
  }

  /// Ends all journals. The process may end right after the party, so this waits until their files are
  /// removed.
  func endJournals() async {
    for journal in journals.links.values { await journal.end() }
  }

  func warnOfJournal(of id: Participant.ID) {
    guard let name = machine.others.first(where: { $0.id == id })?.name else { return }
    eventContinuation.yield(
      .warning("\(name) sent data that doesn't match the attachment. It was discarded."))
  }

  /// Sends messages. Those sent while the link is down get lost; journals repair that themselves.
  func sendJournal(
    _ messages: [(data: Data, recipient: PartyAction.Recipient)], session: GroupSessionID
  ) {
    perform(
      messages.flatMap { machine.send(.init(session: session, data: $0.data), to: $0.recipient) })
  }
}
