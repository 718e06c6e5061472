import Foundation

/// A message of a door to its page.
enum PageReport: Hashable, Sendable {
  case clock(page: Double, arrival: Double, answer: Double)
  case party(Party)
  case film(PageFilm)
  case line(Line)
  case command(Command)
  case said(from: String, name: String, text: String, isMe: Bool)
  case reacted(name: String, symbol: String)
  case notice(String)
  case refused(String)
  case cues(track: Int, [Cue], isDone: Bool)
  case end(Ending, String)

  struct Party: Hashable, Sendable, Encodable {
    var me: String
    var title: String?
    var people: [Person]
    var mayControl: Bool
    var rules: String
    var relays: [String]
    var reactions: [Sign]
    var apart: Bool
    var readyCheck: Bool
    var question: String?
    var connected: Bool
  }

  struct Person: Hashable, Sendable, Encodable {
    var id: String
    var name: String
    var role: String
    var marks: [String]
    var isMe: Bool
    var waits: String?
    var sync: String?
    var isReady: Bool
  }

  struct Sign: Hashable, Sendable, Encodable {
    var kind: String
    var symbol: String
  }

  /// The group's line: `at` seconds of the film at `host` milliseconds of the door's clock.
  struct Line: Hashable, Sendable, Encodable {
    var rate: Double
    var at: Double
    var host: Double
    var playing: Bool
    var waiting: String?
  }

  struct Command: Hashable, Sendable, Encodable {
    var n: Int
    var `do`: GuestOrder.Action
    var rate: Double
    var at: Double
    var host: Double
  }

  struct Cue: Hashable, Sendable {
    var start: Double
    var end: Double
    var text: String
  }

  /// The reason why a door ends its link with a page.
  enum Ending: String, Hashable, Sendable {
    case removed, over, closed, keeper, inUse, rules
  }
}

extension PageReport {
  /// The message as a page gets it; nil for numbers that JSON doesn't have.
  var message: [UInt8]? { (try? JSONEncoder().encode(self)).map { [0] + $0 } }
}

extension PageReport: Encodable {
  private enum Key: String, CodingKey {
    case t, a, b, c, from, name, text, isMe, symbol, track, cues, done, reason
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    func message(_ type: String, _ body: (any Encodable)? = nil) throws {
      try values.encode(type, forKey: .t)
      try body?.encode(to: encoder)
    }
    switch self {
    case .clock(let page, let arrival, let answer):
      try message("clock")
      try values.encode(page, forKey: .a)
      try values.encode(arrival, forKey: .b)
      try values.encode(answer, forKey: .c)
    case .party(let party): try message("party", party)
    case .film(let film): try message("film", film)
    case .line(let line): try message("line", line)
    case .command(let command): try message("command", command)
    case .said(let id, let name, let text, let isMe):
      try message("said")
      try values.encode(id, forKey: .from)
      try values.encode(name, forKey: .name)
      try values.encode(text, forKey: .text)
      try values.encode(isMe, forKey: .isMe)
    case .reacted(let name, let symbol):
      try message("reacted")
      try values.encode(name, forKey: .name)
      try values.encode(symbol, forKey: .symbol)
    case .notice(let text):
      try message("notice")
      try values.encode(text, forKey: .text)
    case .refused(let text):
      try message("refused")
      try values.encode(text, forKey: .text)
    case .cues(let track, let cues, let isDone):
      try message("cues")
      try values.encode(track, forKey: .track)
      try values.encode(cues, forKey: .cues)
      try values.encode(isDone, forKey: .done)
    case .end(let ending, let text):
      try message("end")
      try values.encode(ending.rawValue, forKey: .reason)
      try values.encode(text, forKey: .text)
    }
  }
}

extension PageReport.Cue: Encodable {
  func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(start)
    try values.encode(end)
    try values.encode(text)
  }
}
