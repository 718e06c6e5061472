import Foundation

/// The messages of a browser's remote control, and their frames.
enum RemoteProtocol: Sendable {
  /// Chromium's, in a pipe: messages end with a NUL.
  case devTools
  /// Firefox's, in a TCP connection: messages begin with their length.
  case marionette

  enum Message: Sendable {
    /// The answer to the request with this number; the error is its text.
    case reply(id: Int, Result<JSON, BrowserFailure>)
    case event(name: String, parameters: JSON)
  }

  func request(id: Int, _ name: String, _ parameters: JSON, session: String?) throws -> Data {
    let number = JSON.number(Double(id))
    switch self {
    case .devTools:
      var message: [String: JSON] = ["id": number, "method": .string(name), "params": parameters]
      message["sessionId"] = session.map { .string($0) }
      return try JSONEncoder().encode(JSON.object(message)) + [0]
    case .marionette:
      let text = try JSONEncoder().encode([0, number, .string(name), parameters] as JSON)
      return Data("\(text.count):".utf8) + text
    }
  }

  /// Takes the next whole message off the bytes that arrived; nil if there is none yet.
  func next(in bytes: inout Data) throws -> Message? {
    guard let end = bytes.firstIndex(of: self == .devTools ? 0 : UInt8(ascii: ":")) else {
      return nil
    }
    let head = bytes[..<end]
    switch self {
    case .devTools:
      bytes = Data(bytes[(end + 1)...])
      return message(try JSONDecoder().decode(JSON.self, from: head))
    case .marionette:
      guard let length = Int(String(decoding: head, as: UTF8.self)) else {
        throw BrowserFailure("not the frame of a message: \(String(decoding: head, as: UTF8.self))")
      }
      guard bytes.endIndex > end + length else { return nil }
      let text = bytes[(end + 1)...(end + length)]
      let value = try JSONDecoder().decode(JSON.self, from: text)
      bytes = Data(bytes[(end + 1 + length)...])
      return message(value)
    }
  }

  private func message(_ value: JSON) -> Message {
    switch self {
    case .devTools:
      guard let id = value["id"].number else {
        return .event(name: value["method"].string ?? "", parameters: value["params"])
      }
      if let error = value["error"]["message"].string {
        return .reply(id: Int(id), .failure(BrowserFailure(error)))
      }
      return .reply(id: Int(id), .success(value["result"]))
    case .marionette:
      // The greeting is the only message that isn't an array.
      guard let id = value[1].number else { return .event(name: "greeting", parameters: value) }
      if let error = value[2]["message"].string {
        return .reply(id: Int(id), .failure(BrowserFailure(error)))
      }
      return .reply(id: Int(id), .success(value[3]))
    }
  }
}
