/// A key that was pressed in mpv's window, and is bound to the program (`mpv(1)`, `script-binding`).
public struct WindowKey: Hashable, Sendable {
  public enum Phase: Hashable, Sendable { case pressed, repeated, released }

  /// What it is bound to.
  public var binding: String
  public var phase: Phase
  /// As mpv calls it: `Ctrl+w`.
  public var name: String
  /// What it types; nil for a key that types nothing.
  public var text: String?

  public init(binding: String, phase: Phase = .pressed, name: String, text: String? = nil) {
    self.binding = binding
    self.phase = phase
    self.name = name
    self.text = text
  }

  /// - Parameter message: what mpv sends for a `script-binding`: a word, the binding, its state, the key's name, and
  ///   since 0.31 what it types.
  init?(message: [String]) {
    guard message.count >= 4, message[0] == "key-binding" else { return nil }
    binding = message[1]
    switch message[2].first {
    // `p`: a key without a release, as from a script.
    case "d", "p": phase = .pressed
    case "r": phase = .repeated
    case "u": phase = .released
    default: return nil
    }
    name = message[3]
    text = message.count > 4 && !message[4].isEmpty ? message[4] : nil
  }
}

/// Keys of mpv's window that belong together: they are bound, and given back, at once.
public struct WindowKeys: Hashable, Sendable {
  public struct Binding: Hashable, Sendable {
    /// As mpv calls it: `Ctrl+w`; `any_unicode` for everything that types something.
    public var key: String
    public var name: String
    /// Whether holding it down presses it again and again.
    public var repeats: Bool
    /// A set that counts from this key on, or doesn't any more: before the program has heard of it, so that the next
    /// key already means what it is to mean.
    public var switches: Switch?

    public enum Switch: Hashable, Sendable { case on(String), off(String) }

    public init(_ key: String, _ name: String, repeats: Bool = false, switches: Switch? = nil) {
      self.key = key
      self.name = name
      self.repeats = repeats
      self.switches = switches
    }

    /// As mpv's `input.conf` has it.
    func line(client: String) -> String {
      let section =
        switch switches {
        case .on(let name): "enable-section \(WindowKeys.section(name)) \(WindowKeys.flags); "
        case .off(let name): "disable-section \(WindowKeys.section(name)); "
        case nil: ""
        }
      return "\(key) \(repeats ? "repeatable " : "")\(section)script-binding \(client)/\(self.name)"
    }
  }

  public enum Precedence: Hashable, Sendable {
    /// Before mpv's own keys, and after those that the user has bound.
    case overDefaults
    /// Before all others.
    case overAll
  }

  /// By this name a set takes the place of the one before.
  public var name: String
  public var bindings: [Binding]
  public var precedence: Precedence

  public init(_ name: String, _ bindings: [Binding], _ precedence: Precedence) {
    self.name = name
    self.bindings = bindings
    self.precedence = precedence
  }

  /// What these keys leave to the window. Without the second it can't be moved by dragging it.
  static let flags = "allow-hide-cursor+allow-vo-dragging"

  /// A button of the mouse that is ours moves nothing.
  var flags: String {
    bindings.contains { $0.key.hasPrefix("MBTN_LEFT") } ? "allow-hide-cursor" : Self.flags
  }

  static func section(_ name: String) -> String { "matinee-" + name }
}

/// Keys in mpv's window.
extension MPVPlayer {
  /// Has these keys come as ``PlayerEvent/windowKey(_:)`` whenever their set is on.
  public func define(_ keys: WindowKeys) {
    let lines = keys.bindings.map { $0.line(client: handle.clientName) }
    tell(
      MPVCommand.defineSection, WindowKeys.section(keys.name), lines.joined(separator: "\n"),
      keys.precedence == .overAll ? "force" : "default")
  }

  /// Whether these keys count; they have been defined before.
  public func set(_ keys: WindowKeys, on isOn: Bool) {
    let section = WindowKeys.section(keys.name)
    if isOn {
      tell(MPVCommand.enableSection, section, keys.flags)
    } else {
      tell(MPVCommand.disableSection, section)
    }
  }

  private func tell(_ arguments: String...) {
    request({ $0.command(.array(arguments.map { .string($0) }), id: $1) }) { _, _ in }
  }
}
