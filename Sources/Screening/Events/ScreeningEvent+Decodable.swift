import GroupActivities
import PlaybackCoordination
import Timekeeping

extension ScreeningEvent: Decodable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    func text(_ field: Field) throws -> String { try fields.decode(String.self, forKey: field) }
    func flag(_ field: Field) throws -> Bool { try fields.decode(Bool.self, forKey: field) }
    func author() throws -> Person {
      Person(id: try fields.decode(Participant.ID.self, forKey: .id), name: try text(.from))
    }
    switch try fields.decode(Kind.self, forKey: .event) {
    case .ready: self = .ready(version: try text(.version))
    case .notice: self = .notice(try text(.message))
    case .warning: self = .warning(try text(.message))
    case .error:
      self = .failed(
        try text(.message), command: try fields.decodeIfPresent(String.self, forKey: .command))
    case .state: self = .state(try ScreeningState(from: decoder))
    case .missed: self = .missed(try fields.decode(Int.self, forKey: .count))
    case .party:
      self = .announced(
        name: try text(.name), party: try fields.decode(Participant.ID.self, forKey: .party),
        addresses: try fields.decode([String].self, forKey: .addresses))
    case .hosting: self = .hosting(try Access(from: decoder))
    case .invite: self = .reach(try Access(from: decoder))
    case .joined: self = .joined(try Person(from: decoder), isHost: try flag(.host))
    case .participants:
      self = .participants(try fields.decode([RosterEntry].self, forKey: .participants))
    case .participantJoined:
      self = .participantJoined(try Person(from: decoder), wasHere: try flag(.wasHere))
    case .participantLeft:
      self = .participantLeft(try Person(from: decoder), announced: try flag(.announced))
    case .renamed: self = .renamed(try Person(from: decoder), from: try text(.from))
    case .met: self = .met(try Person(from: decoder), try Encounter(from: decoder))
    case .chat: self = .chat(try author(), try text(.text))
    case .reaction:
      self = .reaction(try author(), try fields.decode(Reaction.self, forKey: .reaction))
    case .action: self = .action(try Action(from: decoder), by: try author())
    case .rules: self = .rules(try RulesChange(from: decoder))
    case .readyCheck: self = .readyCheck(by: try text(.by))
    case .attention: self = .attention
    case .connected: self = .connected(try text(.relay))
    case .disconnected: self = .disconnected(try text(.reason))
    case .ended: self = .sessionEnded(by: try text(.by))
    case .partyClosed: self = .partyClosed(by: try text(.by))
    case .left: self = .left(closing: try flag(.closed))
    case .opened: self = .opened(item: try text(.item), title: try text(.title))
    case .activity:
      self = .activity(
        try Film(from: decoder), by: try text(.by),
        try fields.decode(FilmCause.self, forKey: .cause))
    case .playlist: self = .playlist(try fields.decode([ListedFilm].self, forKey: .playlist))
    case .command:
      self = .command(
        CoordinatedChange(
          kind: try fields.decode(CoordinatedChange.Kind.self, forKey: .command),
          originator: try fields.decode(Participant.ID.self, forKey: .id),
          itemTime: MediaTime(seconds: try fields.decode(Double.self, forKey: .position)),
          rate: try fields.decode(Double.self, forKey: .rate)), by: try text(.by))
    case .waiting:
      self = .waiting(
        for: try fields.decode([String].self, forKey: .names),
        seconds: try fields.decode(Double.self, forKey: .seconds))
    case .suspension: self = .suspension(try fields.decode([String].self, forKey: .reasons))
    case .resuming:
      self = .resuming(at: MediaTime(seconds: try fields.decode(Double.self, forKey: .position)))
    case .replayEnded:
      guard let end = ReplayEnd(rawValue: try text(.cause)) else {
        throw DecodingError.dataCorruptedError(
          forKey: .cause, in: fields, debugDescription: "an unknown end of a replay")
      }
      self = .replayEnded(end)
    case .endOfFilm: self = .ended(continues: try flag(.continues))
    case .confirm: self = .mayOpen(try FilmQuestion(from: decoder))
    case .drawing: self = .drawing(try Sketch(from: decoder))
    case .drawingBegan: self = .drawingBegan(by: try text(.by), again: try flag(.again))
    case .latencyOffset:
      self = .latencyOffset(
        .milliseconds(try fields.decode(Double.self, forKey: .milliseconds)),
        device: try fields.decode(String?.self, forKey: .device))
    case .video:
      self = .video(
        try fields.decode(VideoLocation.self, forKey: .video), isClosed: try flag(.closed))
    case .library: self = .library(try Scan(from: decoder))
    case .folders: self = .listed(.folders(try Self.items(.folders, decoder)))
    case .found: self = .listed(.found(try Self.items(.found, decoder)))
    case .parties: self = .listed(.parties(try Self.items(.parties, decoder)))
    case .people: self = .listed(.people(try Self.items(.people, decoder)))
    case .hosts: self = .listed(.hosts(try Self.items(.hosts, decoder)))
    case .openWanted: self = .openWanted(try text(.location))
    case .changed: self = .changed
    case .quitWanted: self = .quitWanted
    case .userQuit: self = .userQuit
    }
  }

  private static func items<Item: Decodable>(
    _ kind: Kind, _ decoder: any Decoder
  ) throws -> [Item] {
    try decoder.container(keyedBy: ListField.self).decode([Item].self, forKey: ListField(kind))
  }
}
