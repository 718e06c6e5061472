import Foundation

/// A message of a page to its door.
enum PageRequest: Hashable, Sendable {
  /// The first one. `plays`: names of the formats that the browser plays.
  case enter(name: String, plays: [String])
  /// A question for the door's clock; the page's own time in milliseconds comes back.
  case clock(Double)
  case play, pause
  case seek(to: Double)
  case rate(Double)
  case say(String)
  case react(String)
  case vote(Bool)
  case rename(String)
  case ready
  case apart, back
  /// The page's player waits for data, or no longer.
  case stalled(Bool, percent: Int?)
  case source(Source)
  /// Send the film from the keyframe before a position, in seconds, as the stream with this number.
  case fetch(stream: UInt32, from: Double, audio: Int?)
  case more(stream: UInt32, upTo: Double)
  case got(stream: UInt32, bytes: Int)
  case subtitles(track: Int)
  /// The answer to a command: the position at which the player is paused, in seconds.
  case done(number: Int, isCarriedOut: Bool, at: Double?)
  case ended(at: Double)
  /// The distance from the group's line and its uncertainty, in seconds.
  case report(error: Double, uncertainty: Double)
  case bye

  /// The copy of the film that a page plays.
  enum Source: Hashable, Sendable {
    case keeper, url
    case own(name: String, size: Int, duration: Double, hash: String)
  }

  /// The longest message, in bytes.
  static let limit = 16 << 10
  /// The formats that a page may name.
  private static let formatLimit = 16

  /// - Returns: nil for a message that isn't one, and for one of a newer page.
  init?(_ bytes: some Sequence<UInt8>) {
    guard let request = try? JSONDecoder().decode(PageRequest.self, from: Data(bytes)) else {
      return nil
    }
    self = request
  }
}

extension PageRequest: Decodable {
  private enum Key: String, CodingKey {
    case t, name, plays, a, to, rate, text, kind, `is`, percent, size, duration, hash, stream, from,
      audio, upTo, bytes, track, n, ok, at, error, uncertainty, yes
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    func number(_ key: Key) throws -> Double { try values.decode(Double.self, forKey: key) }
    func text(_ key: Key) throws -> String { try values.decode(String.self, forKey: key) }
    func stream() throws -> UInt32 { try values.decode(UInt32.self, forKey: .stream) }
    func position(_ key: Key) throws -> Double {
      let seconds = try number(key)
      // A week: longer than a film, and safe in every sum.
      guard (-604_800...604_800).contains(seconds) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "not a position")
      }
      return seconds
    }
    switch try text(.t) {
    case "enter":
      self = .enter(
        name: try text(.name),
        plays: Array(try values.decode([String].self, forKey: .plays).prefix(Self.formatLimit)))
    case "clock": self = .clock(try number(.a))
    case "play": self = .play
    case "pause": self = .pause
    case "seek": self = .seek(to: try position(.to))
    case "rate": self = .rate(try number(.rate))
    case "say": self = .say(try text(.text))
    case "react": self = .react(try text(.kind))
    case "vote": self = .vote(try values.decode(Bool.self, forKey: .yes))
    case "rename": self = .rename(try text(.name))
    case "ready": self = .ready
    case "apart": self = .apart
    case "back": self = .back
    case "stalled":
      let percent = try values.decodeIfPresent(Int.self, forKey: .percent)
      self = .stalled(
        try values.decode(Bool.self, forKey: .is), percent: percent.map { min(max($0, 0), 100) })
    case "source": self = .source(try Self.source(values))
    case "fetch":
      self = .fetch(
        stream: try stream(), from: try position(.from),
        audio: try values.decodeIfPresent(Int.self, forKey: .audio))
    case "more": self = .more(stream: try stream(), upTo: try position(.upTo))
    case "got":
      self = .got(stream: try stream(), bytes: try values.decode(Int.self, forKey: .bytes))
    case "subtitles": self = .subtitles(track: try values.decode(Int.self, forKey: .track))
    case "done":
      let isPaused = try values.decodeIfPresent(Double.self, forKey: .at) != nil
      self = .done(
        number: try values.decode(Int.self, forKey: .n),
        isCarriedOut: try values.decode(Bool.self, forKey: .ok),
        at: isPaused ? try position(.at) : nil)
    case "ended": self = .ended(at: try position(.at))
    case "report":
      self = .report(error: try position(.error), uncertainty: abs(try position(.uncertainty)))
    case "bye": self = .bye
    case let type:
      throw DecodingError.dataCorruptedError(
        forKey: .t, in: values, debugDescription: "unknown type \(type)")
    }
  }

  private static func source(_ values: KeyedDecodingContainer<Key>) throws -> Source {
    switch try values.decode(String.self, forKey: .kind) {
    case "own":
      .own(
        name: try values.decode(String.self, forKey: .name),
        size: try values.decode(Int.self, forKey: .size),
        duration: try values.decode(Double.self, forKey: .duration),
        hash: try values.decode(String.self, forKey: .hash))
    case "url": .url
    default: .keeper
    }
  }
}
