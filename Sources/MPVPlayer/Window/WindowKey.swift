/// A key pressed in mpv's window that is bound to the program (`mpv(1)`, `script-binding`).
package struct WindowKey: Hashable, Sendable {
  /// The phase of a key press: a held key repeats until it is released.
  package enum Phase: Hashable, Sendable { case pressed, repeated, released }

  /// The name of the key's binding.
  package var binding: String
  /// The phase of the key press.
  package var phase = Phase.pressed
  /// mpv's name of the key: `Ctrl+w`.
  package var name: String
  /// The text that the key types; nil for a key that types nothing.
  package var text: String?

  /// A Boolean value that indicates whether it is a button of the mouse.
  package var isMouseButton: Bool { name.contains("MBTN_") }
}

extension WindowKey {
  /// Reads a message of mpv.
  ///
  /// - Parameter message: mpv's message for a `script-binding`: a word, the binding, its state, the key's name, and
  ///   since 0.31 the text that it types.
  init?(message: [String]) {
    guard message.count >= 4, message[0] == "key-binding" else { return nil }
    binding = message[1]
    switch message[2].first {
    // `p`: a key without a release, for example from a script.
    case "d", "p": phase = .pressed
    case "r": phase = .repeated
    case "u": phase = .released
    default: return nil
    }
    name = message[3]
    text = message.count > 4 && !message[4].isEmpty ? message[4] : nil
  }
}

/// A set of related keys in mpv's window: they are bound, and released, together.
package struct WindowKeys: Hashable, Sendable {
  /// A key with the name under which the program receives it.
  package struct Binding: Hashable, Sendable {
    /// mpv's name of the key: `Ctrl+w`; `any_unicode` for every key that types text.
    package var key: String
    /// The name under which the program receives the key: ``WindowKey/binding``.
    package var name: String
    /// A Boolean value that indicates whether the key repeats while it is held down.
    package var repeats: Bool
    /// The set that this key turns on or off. mpv does so before the program receives the key, so that the next key
    /// already has its new meaning.
    package var switches: Switch?

    /// A change of another set, named by its ``WindowKeys/name``.
    package enum Switch: Hashable, Sendable { case on(String), off(String) }

    package init(_ key: String, _ name: String, repeats: Bool = false, switches: Switch? = nil) {
      self.key = key
      self.name = name
      self.repeats = repeats
      self.switches = switches
    }

    /// Returns the binding as a line of mpv's `input.conf`.
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

  /// The precedence of a set over other bindings of the same key.
  package enum Precedence: Hashable, Sendable {
    /// Before mpv's own keys, and after those that the user has bound.
    case overDefaults
    /// Before all others.
    case overAll
  }

  /// The set's name; a set replaces the earlier one of the same name.
  package var name: String
  /// The set's keys.
  package var bindings: [Binding]
  /// The precedence over other bindings of the same keys.
  package var precedence: Precedence

  /// Creates a set; ``MPVPlayer`` binds it on request.
  package init(_ name: String, _ bindings: [Binding], _ precedence: Precedence) {
    self.name = name
    self.bindings = bindings
    self.precedence = precedence
  }

  /// Flags that leave functions to the window. Without the second one the window can't be moved by dragging it.
  static let flags = "allow-hide-cursor+allow-vo-dragging"

  /// The flags of this set. A bound left mouse button doesn't move the window.
  var flags: String {
    bindings.contains { $0.key.hasPrefix("MBTN_LEFT") } ? "allow-hide-cursor" : Self.flags
  }

  static func section(_ name: String) -> String { "matinee-" + name }
}
