import Foundation

extension WireMessage {
  /// The stable names of the message types. Never rename one.
  private enum Name: String, Codable {
    case chat, session, coordination, app, charter, leave, farewell, state, arrival, welcome
    case probeReply = "probe-reply"
    case coordinationRequest = "coordination-request"
    case resendRequest = "resend-request"
    case resendRefusal = "resend-refusal"
    case stateRequest = "state-request"
    case charterRequest = "charter-request"

    /// The newest version of the type that this program understands.
    var version: Int { versions.upperBound }

    /// The versions that this program understands.
    var versions: ClosedRange<Int> {
      switch self {
      // Version 1 allowed one session in a party.
      case .welcome, .probeReply: 2...2
      // Version 1's proof of a state didn't cover the session.
      case .coordination: 2...2
      case .chat, .session, .app, .charter, .leave, .farewell, .state, .arrival,
        .coordinationRequest, .resendRequest, .resendRefusal, .stateRequest, .charterRequest:
        1...1
      }
    }
  }

  private struct Header: Decodable {
    var t: String
    var v: Int
  }

  private struct Frame<Body: Codable>: Codable {
    var t: Name
    var v: Int
    var b: Body
  }

  func encoded() -> [UInt8] {
    switch self {
    case .chat(let body): Self.encode(.chat, body)
    case .session(let body): Self.encode(.session, body)
    case .coordination(let body): Self.encode(.coordination, body)
    case .app(let body): Self.encode(.app, body)
    case .leave(let body): Self.encode(.leave, body)
    case .probeReply(let body) where body.introduction != nil: Self.encode(.probeReply, body)
    case .resendRequest(let body): Self.encode(.resendRequest, body)
    case .resendRefusal(let body): Self.encode(.resendRefusal, body)
    case .stateRequest(let body): Self.encode(.stateRequest, body)
    case .state(let body): Self.encode(.state, body)
    case .farewell(let body): Self.encode(.farewell, body)
    case .charter(let body): Self.encode(.charter, body)
    case .charterRequest(let body): Self.encode(.charterRequest, body)
    case .coordinationRequest(let body): Self.encode(.coordinationRequest, body)
    case .arrival(let body): Self.encode(.arrival, body)
    case .welcome(let body): Self.encode(.welcome, body)
    case .lane(let packet): packet.encoded()
    case .beacon, .probe, .probeReply, .vector, .originals, .roster: encodedInBinary()
    }
  }

  init(decoding bytes: [UInt8]) throws(WireMessageError) {
    if bytes.first == LanePacket.mark {
      self = .lane(try LanePacket(decoding: bytes))
      return
    }
    if bytes.first == Self.binaryMark {
      try self.init(decodingBinary: bytes)
      return
    }
    let data = Data(bytes)
    guard let header = try? JSONDecoder().decode(Header.self, from: data) else { throw .malformed }
    guard let name = Name(rawValue: header.t), name.versions.contains(header.v) else {
      throw .unknown(type: String(header.t.prefix(32)), version: header.v)
    }
    switch name {
    case .chat: self = .chat(try Self.body(in: data))
    case .session: self = .session(try Self.body(in: data))
    case .coordination: self = .coordination(try Self.body(in: data))
    case .app: self = .app(try Self.body(in: data))
    case .leave: self = .leave(try Self.body(in: data))
    case .probeReply: self = .probeReply(try Self.body(in: data))
    case .resendRequest: self = .resendRequest(try Self.body(in: data))
    case .resendRefusal: self = .resendRefusal(try Self.body(in: data))
    case .stateRequest: self = .stateRequest(try Self.body(in: data))
    case .state: self = .state(try Self.body(in: data))
    case .farewell: self = .farewell(try Self.body(in: data))
    case .charter: self = .charter(try Self.charter(in: data))
    case .charterRequest: self = .charterRequest(try Self.body(in: data))
    case .coordinationRequest: self = .coordinationRequest(try Self.body(in: data))
    case .arrival: self = .arrival(try Self.body(in: data))
    case .welcome: self = .welcome(try Self.body(in: data))
    }
  }

  private static func encode(_ name: Name, _ body: some Codable) -> [UInt8] {
    do {
      return Array(try JSONEncoder().encode(Frame(t: name, v: name.version, b: body)))
    } catch {
      preconditionFailure("a \(name) of ours can't be encoded: \(error)")
    }
  }

  /// Decodes a policy log. A rule that only newer versions know makes the whole log unreadable, since each
  /// change depends on all before it.
  private static func charter(in data: Data) throws(WireMessageError) -> CharterLinks {
    do {
      return try body(in: data)
    } catch {
      guard let frame = try? JSONDecoder().decode(CharterOutline.self, from: data),
        let rule = frame.b.links.lazy.compactMap(\.a.unknown).first
      else { throw .malformed }
      throw .unknown(type: String("charter with \(rule)".prefix(32)), version: 1)
    }
  }

  private static func body<Body: Codable>(in data: Data) throws(WireMessageError) -> Body {
    do {
      return try JSONDecoder().decode(Frame<Body>.self, from: data).b
    } catch {
      throw .malformed
    }
  }
}

/// A policy log of which only the names of its rules are decoded.
private struct CharterOutline: Decodable {
  var b: Links

  struct Links: Decodable { var links: [Link] }
  struct Link: Decodable { var a: Rule }

  struct Rule: Decodable {
    /// The name of a rule that this program doesn't know, or of one with an unknown value.
    var unknown: String?

    init(from decoder: any Decoder) throws {
      guard (try? PartyAmendment(from: decoder)) == nil else { return }
      unknown = try decoder.container(keyedBy: Name.self).allKeys.first?.stringValue
    }
  }

  struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The reason for which a participant's message was skipped.
enum WireMessageError: Error, Hashable, Sendable {
  case malformed
  case unknown(type: String, version: Int)
}
