import Foundation

/// A message to all participants that arrives in its sender's order and exactly once.
enum EventMessage: Hashable, Sendable {
  case chat(ChatText)
  case session(SessionRegister)
  case coordination(CoordinationReport)
  case app(AppMessage)
  case policyLog(PolicyLogLinks)
  case leave(Leave)

  /// A Boolean value that indicates whether the program sends the message unasked: such events don't show that the user
  /// is active.
  var isOwnWord: Bool { if case .coordination = self { true } else { false } }
}

extension EventMessage: BinaryCodable {
  /// The numbers of the types. Never reuse one.
  private enum Kind: UInt8 {
    case chat = 1
    case session = 2
    case coordination = 3
    case app = 4
    case policyLog = 5
    case leave = 6
  }

  func write(to writer: inout BinaryWriter) {
    func write(_ kind: Kind, _ body: some BinaryCodable) {
      writer.byte(kind.rawValue)
      writer.value(body)
    }
    switch self {
    case .chat(let body): write(.chat, body)
    case .session(let body): write(.session, body)
    case .coordination(let body): write(.coordination, body)
    case .app(let body): write(.app, body)
    case .policyLog(let body): write(.policyLog, body)
    case .leave(let body): write(.leave, body)
    }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("event \(number)") }
    switch kind {
    case .chat: self = .chat(try reader.value())
    case .session: self = .session(try reader.value())
    case .coordination: self = .coordination(try reader.value())
    case .app: self = .app(try reader.value())
    case .policyLog: self = .policyLog(try reader.value())
    case .leave: self = .leave(try reader.value())
    }
  }

  /// Returns a Boolean value that indicates whether an encoded event is chat, a command, or a change of the party.
  ///
  /// A wrong answer changes the order in which messages are processed, and nothing else: the message isn't decoded for
  /// it.
  static func isUrgent(encoded payload: ArraySlice<UInt8>) -> Bool {
    guard let kind = payload.first.flatMap(Kind.init) else { return false }
    switch kind {
    case .chat, .session, .policyLog, .leave: return true
    case .coordination: return payload.dropFirst().first == CoordinationReport.commandFlag
    case .app: return false
    }
  }
}

struct ChatText: Hashable, Sendable, BinaryCodable {
  var text: String

  /// The longest text, in bytes: longer than any that is shown.
  private static let limit = 56 << 10

  init(text: String) { self.text = text }

  func write(to writer: inout BinaryWriter) { writer.text(text) }

  init(from reader: inout BinaryReader) throws(WireError) {
    text = try reader.text(limit: Self.limit)
  }
}

/// The announcement of a departure, so that the others needn't wait for silence.
struct Leave: Hashable, Sendable, BinaryCodable {
  /// True if the party can't continue without its sender, because the relay ends with it.
  var closesParty = false
  /// True if the relay of its sender continues without it; never together with ``closesParty``.
  var keepsRelay = false

  init(closesParty: Bool = false, keepsRelay: Bool = false) {
    self.closesParty = closesParty
    self.keepsRelay = keepsRelay && !closesParty
  }

  func write(to writer: inout BinaryWriter) { writer.flags(closesParty, keepsRelay) }

  init(from reader: inout BinaryReader) throws(WireError) {
    let flags = try reader.flags(2)
    guard flags != [true, true] else { throw .malformed }
    (closesParty, keepsRelay) = (flags[0], flags[1])
  }
}

/// A report of one participant's playback coordinator, opaque to this layer.
struct CoordinationReport: Hashable, Sendable {
  var session: GroupSessionID
  var data: Data
  /// The number of the report among this participant's reports, from 1. The newest wins.
  var version: UInt64 = 0
  /// True if the sender's user did something for the whole group: the receivers process it first.
  var isCommand = false

  /// The largest report, in bytes.
  static let limit = 8 * 1024
}

extension CoordinationReport: BinaryCodable {
  /// The first byte of a command.
  fileprivate static let commandFlag: UInt8 = 1

  func write(to writer: inout BinaryWriter) {
    writer.flags(isCommand)
    writer.value(session)
    writer.number(version)
    writer.block(data)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let isCommand = try reader.flag()
    self.init(
      session: try reader.value(), data: Data(), version: try reader.number(), isCommand: isCommand)
    data = Data(try reader.block(limit: Self.limit))
  }
}
