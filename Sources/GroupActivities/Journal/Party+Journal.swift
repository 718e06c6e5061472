import Foundation
import Timekeeping

/// What a journal hears of its party, in order.
enum JournalInput: Sendable {
  case received(Data, from: Participant.ID)
  /// Who has joined the session, the longest in the party first.
  case members([Participant.ID])
  case link(isUp: Bool)
}

typealias JournalHandler = @Sendable (JournalInput) -> Void

/// A journal, as its party knows it.
struct JournalLink: Sendable {
  var session: GroupSessionID
  var handler: JournalHandler
  /// Returns when its files are gone.
  var end: @Sendable () async -> Void
}

/// What a journal needs of its party.
extension Party {
  /// - Parameter link: its handler is told at once who is here and whether the link is up, and then of each
  ///   change.
  func beginJournal(_ id: UUID, _ link: JournalLink) {
    guard sessions[link.session] != nil else { return }
    journals[id] = link
    link.handler(.link(isUp: machine.isConnected))
    link.handler(.members(machine.seniors(in: link.session)))
  }

  func endJournal(_ id: UUID) { journals[id] = nil }

  func tellJournals(_ input: JournalInput) {
    for journal in journals.values { journal.handler(input) }
  }

  func tellJournalsWhoIsHere() {
    for journal in journals.values {
      journal.handler(.members(machine.seniors(in: journal.session)))
    }
  }

  func deliver(_ packet: JournalPacket, from sender: Participant.ID) {
    for journal in journals.values where journal.session == packet.session {
      journal.handler(.received(packet.data, from: sender))
    }
  }

  /// - Returns: the place of something new in this participant's count of what it added, never given
  ///   before; and the group's time.
  func journalSlot(session: GroupSessionID) throws(PartyError) -> (slot: Int, time: GroupTime) {
    guard sessions[session] != nil else { throw .sessionOver }
    guard machine.sessions.joined.contains(session),
      let time = machine.clockReading(at: .now())?.groupTime(at: .now())
    else { throw .notJoined }
    let slot = journalSlots[session, default: 0]
    journalSlots[session] = slot + 1
    return (slot, time)
  }

  /// The process may end right after the party.
  func endJournals() async {
    for journal in journals.values { await journal.end() }
  }

  func warnOfJournal(of id: Participant.ID) {
    guard let name = machine.others.first(where: { $0.id == id })?.name else { return }
    eventContinuation.yield(
      .warning("\(name) sent data that doesn't match the attachment. It was discarded."))
  }

  /// Sends what gets lost while the link is down: journals repair themselves.
  func sendJournal(
    _ messages: [(data: Data, recipient: PartyAction.Recipient)], session: GroupSessionID
  ) {
    perform(
      messages.flatMap { machine.send(.init(session: session, data: $0.data), to: $0.recipient) })
  }
}
