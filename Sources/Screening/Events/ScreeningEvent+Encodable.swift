import PlaybackCoordination
import Timekeeping

extension ScreeningEvent {
  /// The fields of events. Those of a payload with fields of its own aren't among them.
  enum Field: String, CodingKey {
    case event, version, message, command, count, name, party, addresses, id, host, participants
    case wasHere, announced, from, text, lines, reaction, symbol, by, relay, reason, closed
    case item, title, cause, playlist, position, rate, seconds, reasons, continues
    case again, device, video, location
    case names = "for"
    case milliseconds = "ms"
  }

  /// The fields of a list: its items, under the list's name.
  struct ListField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ kind: Kind) { stringValue = kind.rawValue }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }
}

extension ScreeningEvent: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .event)
    switch self {
    case .ready(let version): try fields.encode(version, forKey: .version)
    case .notice(let text), .warning(let text): try fields.encode(text, forKey: .message)
    case .failed(let text, let command):
      try fields.encode(text, forKey: .message)
      try fields.encodeIfPresent(command, forKey: .command)
    case .state(let state): try state.encode(to: encoder)
    case .missed(let count): try fields.encode(count, forKey: .count)
    case .announced(let name, let party, let addresses):
      try fields.encode(name, forKey: .name)
      try fields.encode(party, forKey: .party)
      try fields.encode(addresses, forKey: .addresses)
    case .hosting(let access), .reach(let access): try access.encode(to: encoder)
    case .joined(let me, let isHost):
      try me.encode(to: encoder)
      try fields.encode(isHost, forKey: .host)
    case .participants(let roster): try fields.encode(roster, forKey: .participants)
    case .participantJoined(let person, let wasHere):
      try person.encode(to: encoder)
      try fields.encode(wasHere, forKey: .wasHere)
    case .participantLeft(let person, let isAnnounced):
      try person.encode(to: encoder)
      try fields.encode(isAnnounced, forKey: .announced)
    case .renamed(let person, let old):
      try person.encode(to: encoder)
      try fields.encode(old, forKey: .from)
    case .met(let person, let encounter):
      try person.encode(to: encoder)
      try encounter.encode(to: encoder)
    case .chat(let person, let text):
      try encode(person, &fields)
      try fields.encode(text, forKey: .text)
    case .earlierChat(let lines, let person):
      try encode(person, &fields)
      try fields.encode(lines, forKey: .lines)
    case .countdown(let seconds): try fields.encode(seconds, forKey: .seconds)
    case .reaction(let person, let reaction):
      try encode(person, &fields)
      try fields.encode(reaction, forKey: .reaction)
      try fields.encode(reaction.symbol, forKey: .symbol)
    case .moment(let moment): try moment.encode(to: encoder)
    case .echo(let echo): try echo.encode(to: encoder)
    case .vote(let vote): try vote.encode(to: encoder)
    case .action(let action, let person):
      try encode(person, &fields)
      try action.encode(to: encoder)
    case .rules(let change): try change.encode(to: encoder)
    case .readyCheck(let by), .sessionEnded(let by), .partyClosed(let by):
      try fields.encode(by, forKey: .by)
    case .connected(let relay): try fields.encode(relay, forKey: .relay)
    case .disconnected(let reason): try fields.encode(reason, forKey: .reason)
    case .left(let isClosing): try fields.encode(isClosing, forKey: .closed)
    case .opened, .activity, .playlist, .command, .waiting, .suspension, .resuming,
      .resumeOffered, .replayEnded, .ended, .mayOpen, .mayShare:
      try encodeFilm(to: encoder, &fields)
    case .drawing(let sketch): try sketch.encode(to: encoder)
    case .drawingBegan(let by, let isAgain):
      try fields.encode(by, forKey: .by)
      try fields.encode(isAgain, forKey: .again)
    case .latencyOffset(let offset, let device):
      try fields.encode(offset.printedMilliseconds, forKey: .milliseconds)
      try fields.encode(device, forKey: .device)
    case .video(let location, let isClosed):
      try fields.encode(location, forKey: .video)
      try fields.encode(isClosed, forKey: .closed)
    case .library(let scan): try scan.encode(to: encoder)
    case .listed(let listing): try Self.encode(listing, to: encoder)
    case .openWanted(let location): try fields.encode(location, forKey: .location)
    case .attention, .changed, .quitWanted, .userQuit: break
    }
  }

  /// Encodes an event about a film.
  private func encodeFilm(
    to encoder: any Encoder, _ fields: inout KeyedEncodingContainer<Field>
  ) throws {
    switch self {
    case .opened(let item, let title):
      try fields.encode(item, forKey: .item)
      try fields.encode(title, forKey: .title)
    case .activity(let film, let by, let cause):
      try film.encode(to: encoder)
      try fields.encode(by, forKey: .by)
      try fields.encode(cause, forKey: .cause)
    case .playlist(let films): try fields.encode(films, forKey: .playlist)
    case .command(let change, let by):
      try fields.encode(change.kind, forKey: .command)
      try fields.encode(by, forKey: .by)
      try fields.encode(change.originator, forKey: .id)
      try fields.encode(change.itemTime.seconds.rounded(to: 6), forKey: .position)
      try fields.encode(change.rate, forKey: .rate)
    case .waiting(let names, let seconds):
      try fields.encode(names, forKey: .names)
      try fields.encode(seconds, forKey: .seconds)
    case .suspension(let reasons): try fields.encode(reasons, forKey: .reasons)
    case .resuming(let position):
      try fields.encode(position.seconds.rounded(to: 6), forKey: .position)
    case .resumeOffered(let position):
      try fields.encodeIfPresent(position?.seconds.rounded(to: 6), forKey: .position)
    case .replayEnded(let end): try fields.encode(end.rawValue, forKey: .cause)
    case .ended(let continues): try fields.encode(continues, forKey: .continues)
    case .mayOpen(let question): try question.encode(to: encoder)
    case .mayShare(let question): try question.encode(to: encoder)
    case .ready, .notice, .warning, .failed, .state, .missed, .announced, .hosting, .reach,
      .joined, .participants, .participantJoined, .participantLeft, .renamed, .met, .chat,
      .earlierChat,
      .countdown,
      .reaction, .moment, .vote, .echo, .action, .rules, .readyCheck, .attention, .connected,
      .disconnected,
      .sessionEnded,
      .partyClosed,
      .left, .drawing, .drawingBegan, .latencyOffset, .video, .library, .listed, .openWanted,
      .changed, .quitWanted, .userQuit:
      break
    }
  }

  /// Encodes the author of a message, whose name is the field `from`.
  private func encode(
    _ person: Person, _ fields: inout KeyedEncodingContainer<Field>
  ) throws {
    try fields.encode(person.id, forKey: .id)
    try fields.encode(person.name, forKey: .from)
  }

  private static func encode(_ listing: Listing, to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: ListField.self)
    let field = ListField(listing.kind)
    switch listing {
    case .folders(let items): try fields.encode(items, forKey: field)
    case .found(let items): try fields.encode(items, forKey: field)
    case .parties(let items): try fields.encode(items, forKey: field)
    case .people(let items): try fields.encode(items, forKey: field)
    case .hosts(let items): try fields.encode(items, forKey: field)
    case .moments(let items): try fields.encode(items, forKey: field)
    case .page(let page): try page.encode(to: encoder)
    case .syncplay(let door): try door.encode(to: encoder)
    }
  }
}
