import FoundationEssentials

/// The options that a client states in CONNECT. A repeated CONNECT changes only the options that it
/// names.
///
/// They are decoded as Go's decoder does for `nats-server`: names in any case, unknown names
/// ignored, null as if absent, and a value of another type an error.
struct ConnectOptions: Hashable, Sendable {
  var isVerbose = true
  var isPedantic = true
  /// A Boolean value that indicates whether the client wants to receive its own messages.
  var echo = true
  var headers = false
  var noResponders = false
  var protocolVersion = 0
  /// The claimed key's text. Key and signature are kept only until they are verified.
  var nkey = ""
  var signature = ""

  /// - Throws: ``ProtocolViolation/malformed``.
  mutating func update(from json: ArraySlice<UInt8>) throws(ProtocolViolation) {
    do {
      let update = try JSONDecoder().decode(Update?.self, from: Data(json))
      update?.apply(&self)
    } catch {
      throw .malformed
    }
  }

  /// Returns a Boolean value that indicates whether `json` is an object, the only requirement for
  /// an INFO from a client.
  static func isObject(_ json: ArraySlice<UInt8>) -> Bool {
    var options = ConnectOptions()
    do {
      try options.update(from: json)
      return true
    } catch {
      return false
    }
  }
}

/// The members of one CONNECT that have a meaning here, as changes to the options.
private struct Update: Decodable {
  private let changes: [(inout ConnectOptions) -> Void]

  func apply(_ options: inout ConnectOptions) {
    for change in changes { change(&options) }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    var changes: [(inout ConnectOptions) -> Void] = []
    func read<Value: Decodable & Sendable>(
      _ key: Key, _ path: WritableKeyPath<ConnectOptions, Value>
    ) throws {
      guard let value = try container.decodeIfPresent(Value.self, forKey: key) else { return }
      changes.append { $0[keyPath: path] = value }
    }
    for key in container.allKeys {
      switch key.stringValue.lowercased() {
      case "verbose": try read(key, \.isVerbose)
      case "pedantic": try read(key, \.isPedantic)
      case "echo": try read(key, \.echo)
      case "headers": try read(key, \.headers)
      case "no_responders": try read(key, \.noResponders)
      case "protocol": try read(key, \.protocolVersion)
      case "nkey": try read(key, \.nkey)
      case "sig": try read(key, \.signature)
      case "tls_required": _ = try container.decodeIfPresent(Bool.self, forKey: key)
      case "name", "user", "pass", "auth_token", "jwt", "lang", "version":
        _ = try container.decodeIfPresent(String.self, forKey: key)
      default: continue
      }
    }
    self.changes = changes
  }
}
