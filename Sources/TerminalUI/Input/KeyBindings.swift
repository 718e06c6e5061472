import Screening

/// The user's own keys, in the format of mpv's `input.conf`: one line per key, `KEY COMMAND`, and `#` before remarks.
///
/// Commands are mpv's if mpv has them (`seek 5`, `add volume -2`, `cycle pause`), else Matinee's (`chat`,
/// `catch-up`); `ignore` removes a key's command. A line that can't be used is skipped and listed in ``problems``;
/// the others apply. mpv's manual, "input.conf", has the names of keys.
package struct KeyBindings: Hashable, Sendable {
  struct Binding: Hashable, Sendable {
    var key: KeyPress
    /// The key's new command; nil removes the standard one.
    var command: Command?
    /// The command as written.
    var words: String
  }

  private(set) var bindings: [Binding] = []
  /// The lines that were skipped, in order.
  package private(set) var problems: [LineProblem] = []

  package init() {}

  /// The key that shows the help, with these bindings; empty if it has none.
  package var helpKey: String { KeyMap.standard.applying(self).label(of: .showHelp) ?? "" }

  /// The key that hosts a party, with these bindings; nil if it has none.
  package var hostKey: String? { KeyMap.standard.applying(self).hostKey }

  /// The key that returns to the last party, with these bindings; nil if it has none.
  package var rejoinKey: String? {
    KeyMap.standard.applying(self).label(of: .user(.rejoin(nil)))
  }

  /// Returns a message with these keys in place of the standard ones: "Press I for the invite." A sentence about a
  /// command that has no key is left out.
  package func naming(keysIn message: String) -> String {
    let own = KeyMap.standard.applying(self)
    return message.replacing(/(^| )Press (\S+) [^.]*\.?/) { match in
      let (sentence, start, key) = match.output
      guard let command = KeyMap.standard.command(labelled: key),
        own.command(labelled: key) != command
      else { return String(sentence) }
      let label =
        command == .openPartyOrPictureInPicture ? own.hostKey : own.label(of: command)
      return label.map { "\(start)Press \($0)\(sentence[key.endIndex...])" } ?? ""
    }
  }

  /// Reads a file of keys; the lines that can't be used become ``problems``.
  package init(parsing text: String) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      do throws(LineProblem) {
        if let binding = try Self.binding(line, number: index + 1) { bindings.append(binding) }
      } catch {
        problems.append(error)
      }
    }
  }

  /// Reads a line.
  ///
  /// - Returns: nil for a line without a binding.
  private static func binding(
    _ line: Substring, number: Int
  ) throws(LineProblem) -> Binding? {
    func problem(_ reason: String) -> LineProblem { LineProblem(line: number, reason: reason) }
    let parsed: InputLine?
    do throws(InputLine.Problem) {
      // Editors on Windows begin a file with a byte order mark.
      parsed = try InputLine.parse(line.drop { $0 == "\u{FEFF}" })
    } catch {
      throw problem(error.reason)
    }
    guard let parsed else { return nil }
    let name = Command.shown(parsed.key)
    // This line divides mpv's own file; here it has no meaning, since all keys are the user's.
    if parsed.key == "default-bindings", parsed.commands == [["start"]] { return nil }
    let key: KeyPress
    do throws(KeyNameProblem) {
      key = try KeyPress(reading: parsed.key)
    } catch {
      switch error {
      case .notReported: throw problem("terminals don't report the key “\(name)”")
      case .unknown:
        let isSequence = parsed.key.count > 2 && parsed.key.dropFirst().dropLast().contains("-")
        throw problem(
          isSequence
            ? "“\(name)” is several keys; one key per line here"
            : "there is no key “\(name)”; examples: SPACE, Shift+LEFT, ctrl+l, SHARP")
      }
    }
    if let section = parsed.section {
      throw problem("the section “{\(Command.shown(section))}” is for mpv's window only")
    }
    guard !parsed.commands.isEmpty else {
      throw problem("the command after “\(name)” is missing, as in: \(name) cycle pause")
    }
    do throws(UserCommandProblem) {
      return Binding(
        key: key, command: try Command.reading(parsed.commands),
        words: parsed.commands.map { $0.joined(separator: " ") }.joined(separator: "; "))
    } catch {
      throw problem(error.description)
    }
  }
}

extension KeyMap {
  /// Returns the command of the key with this label, outside the library and the drawing; nil if there is none.
  fileprivate func command(labelled label: Substring) -> Command? {
    entries.filter { !$0.section.isForOneThing }.flatMap(\.bindings).first { binding in
      binding.keys.contains { key in
        [true, false].contains { key.label(isUnicode: $0).description == label }
      }
    }?.command
  }

  /// The key that hosts a party; nil if there is none.
  var hostKey: String? { label(of: .openPartyOrPictureInPicture) ?? label(of: .user(.host)) }

  /// Returns the map with the user's keys: each has the user's command, and no other.
  func applying(_ user: KeyBindings) -> KeyMap {
    var map = self
    for binding in user.bindings {
      map.remove(binding.key)
      map.ignored.remove(binding.key)
      if let command = binding.command {
        map.add(binding.key, command, help: binding.words)
      } else {
        map.ignored.insert(binding.key)
      }
    }
    return map
  }

  /// Removes a key's commands, except in the library and for the pen: their keys apply only there.
  private mutating func remove(_ key: KeyPress) {
    for entry in entries.indices where !entries[entry].section.isForOneThing {
      for binding in entries[entry].bindings.indices {
        entries[entry].bindings[binding].keys.removeAll { $0 == key }
      }
      entries[entry].bindings.removeAll { $0.keys.isEmpty }
    }
    entries.removeAll { $0.bindings.isEmpty }
  }

  private mutating func add(_ key: KeyPress, _ command: Command, help: String) {
    for entry in entries.indices {
      for binding in entries[entry].bindings.indices
      where entries[entry].bindings[binding].command == command {
        return entries[entry].bindings[binding].keys.append(key)
      }
    }
    entries.append(Entry(.own, [Binding(key, command)], help))
  }
}
