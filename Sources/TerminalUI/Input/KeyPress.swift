/// A key on the keyboard, as far as a terminal tells of it.
public enum Key: Hashable, Sendable {
  /// What the key types, as typed: "A" is shift and "a" together.
  case character(Character)
  case up, down, left, right
  case home, end, pageUp, pageDown
  case insert, delete, backspace
  case enter, tab, escape
  /// F1...F24
  case function(Int)
}

/// A key with the modifiers that were held down.
public struct KeyPress: Hashable, Sendable {
  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    // The bits of xterm's modifier parameter, which is this value plus one.
    public static let shift = Modifiers(rawValue: 1)
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }

  public var key: Key
  public var modifiers: Modifiers

  public init(_ key: Key, _ modifiers: Modifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}
