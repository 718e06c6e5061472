/// Identifies a session within its party.
public struct GroupSessionID: Hashable, Sendable, Codable, CustomStringConvertible {
  let rawValue: UInt64

  public var description: String { String(rawValue, radix: 16) }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt64.self)
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
