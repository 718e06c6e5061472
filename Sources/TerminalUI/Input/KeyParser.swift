import TerminalVideo

/// Makes keys, mouse events and pastes from the bytes that a terminal sends.
///
/// It takes one byte at a time, so that the division of the bytes into pieces makes no difference. Sequences are those
/// of xterm (ctlseqs), which all current terminals follow; an unknown sequence is skipped whole. Whatever arrives, the
/// parser holds no more than ``maximumPaste`` bytes and returns to reading keys.
struct KeyParser: Sendable {
  /// The time to wait for the rest of an incomplete sequence before ``timeOut()`` should be called.
  enum Patience: Hashable, Sendable {
    /// An Escape may be the key, or the first byte of a sequence whose other bytes follow at once.
    case short
    /// A paste or the terminal's answer to a question is incomplete. Over a slow link its pieces arrive apart, and none
    /// of them is a key.
    case long
  }

  /// The greatest size of a paste, in bytes; the rest of a larger one is dropped.
  static let maximumPaste = 65_536
  private static let maximumSequence = 64
  /// The greatest size of an answer, in bytes; an invite in Base64 is shorter.
  private static let maximumAnswer = 2048

  private enum State: Hashable {
    case ground
    /// A character in UTF-8, with this number of bytes missing.
    case character(remaining: Int)
    case escape
    /// The state after `ESC O`: one byte is missing, perhaps after a modifier.
    case singleShift
    /// The state after `ESC [`.
    case sequence
    /// A string (`ESC ]`, `P`, `X`, `^`, `_`). It is skipped until BEL or `ESC \`, except its beginning, which may be
    /// an answer.
    case string(afterEscape: Bool)
    case paste
    /// xterm's old mouse report `ESC [ M`, which is followed by three bytes.
    case oldMouse(remaining: Int)
  }

  private var state = State.ground
  private var buffer: [UInt8] = []
  private var skipped = 0
  /// A Boolean value that indicates whether an Escape came before the character that is being collected.
  private var isAlt = false
  private var events: [InputEvent] = []

  init() {}

  /// The time to wait for more bytes; nil if no sequence is incomplete.
  var patience: Patience? {
    switch state {
    case .ground: nil
    case .sequence, .string: isAnswer ? .long : .short
    case .character, .escape, .singleShift, .oldMouse: .short
    case .paste: .long
    }
  }

  /// A Boolean value that indicates whether the incomplete sequence begins like an answer, and like hardly anything
  /// that is typed: `ESC [ ?`, `ESC _ G`, `ESC P 0`, `1` or `>`.
  private var isAnswer: Bool {
    switch state {
    case .sequence: buffer.first == 0x3F
    case .string:
      [[0x5F, 0x47], [0x50, 0x30], [0x50, 0x31], [0x50, 0x3E]].contains {
        buffer.starts(with: $0)
      }
    case .ground, .character, .escape, .singleShift, .oldMouse, .paste: false
    }
  }

  /// Reads bytes.
  ///
  /// - Returns: the events that are complete with these bytes.
  mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
    for byte in bytes { received(byte) }
    defer { events.removeAll() }
    return events
  }

  /// Finishes an incomplete sequence, since no byte came within ``patience``.
  mutating func timeOut() -> [InputEvent] {
    switch state {
    case .escape: press(.escape)
    case .singleShift: press(.character("O"), .alt)
    case .sequence where buffer.isEmpty: press(.character("["), .alt)
    case .paste: finishPaste()
    case .ground, .character, .sequence, .string, .oldMouse: break
    }
    reset()
    defer { events.removeAll() }
    return events
  }

  private mutating func reset() {
    state = .ground
    buffer.removeAll()
    skipped = 0
    isAlt = false
  }

  private mutating func press(_ key: Key, _ modifiers: KeyPress.Modifiers = []) {
    events.append(.key(KeyPress(key, modifiers)))
  }

  private mutating func received(_ byte: UInt8) {
    switch state {
    case .ground: takeFirst(byte)
    case .character(let remaining): takeContinuation(byte, remaining)
    case .escape: takeAfterEscape(byte)
    case .singleShift:
      if byte == 0x1B {
        restart()
      } else if (0x30...0x3F).contains(byte) {
        collect(byte)
      } else {
        finishSingleShift(byte)
      }
    case .sequence: takeInSequence(byte)
    case .string(let afterEscape):
      if byte == 0x07 || byte == 0x18 || (afterEscape && byte == 0x5C) {
        let text = buffer
        reset()
        if byte != 0x18 { finishString(text) }
      } else {
        skipped += 1
        if buffer.count < Self.maximumAnswer { buffer.append(byte) }
        // A reply is short: a longer string is a stray Escape and then the user's typing.
        if skipped > 4096 { reset() } else { state = .string(afterEscape: byte == 0x1B) }
      }
    case .paste: takePasted(byte)
    case .oldMouse(let remaining):
      if remaining > 1 { state = .oldMouse(remaining: remaining - 1) } else { reset() }
    }
  }

  private mutating func takeFirst(_ byte: UInt8) {
    let modifiers: KeyPress.Modifiers = isAlt ? .alt : []
    switch byte {
    case 0x1B:
      reset()
      state = .escape
      return
    case 0x00: press(.character(" "), modifiers.union(.control))
    case 0x08, 0x7F: press(.backspace, modifiers)
    case 0x09: press(.tab, modifiers)
    case 0x0A, 0x0D: press(.enter, modifiers)
    case 0x01...0x1A:
      press(.character(Character(Unicode.Scalar(byte + 0x60))), modifiers.union(.control))
    case 0x1C...0x1F:
      press(.character(Character(Unicode.Scalar(byte + 0x40))), modifiers.union(.control))
    case 0x20...0x7E: press(.character(Character(Unicode.Scalar(byte))), modifiers)
    case 0xC2...0xDF: return begin(byte, remaining: 1)
    case 0xE0...0xEF: return begin(byte, remaining: 2)
    case 0xF0...0xF4: return begin(byte, remaining: 3)
    default: break  // Not UTF-8, so nothing that was typed.
    }
    reset()
  }

  private mutating func begin(_ byte: UInt8, remaining: Int) {
    buffer = [byte]
    state = .character(remaining: remaining)
  }

  private mutating func takeContinuation(_ byte: UInt8, _ remaining: Int) {
    guard (0x80...0xBF).contains(byte) else {
      reset()
      return takeFirst(byte)
    }
    buffer.append(byte)
    guard remaining == 1 else {
      state = .character(remaining: remaining - 1)
      return
    }
    // Overlong forms and surrogates don't validate.
    if let text = String(validating: buffer, as: UTF8.self), let character = text.first,
      text.unicodeScalars.first?.properties.generalCategory != .control
    {
      press(.character(character), isAlt ? .alt : [])
    }
    reset()
  }

  private mutating func takeAfterEscape(_ byte: UInt8) {
    switch byte {
    case 0x1B: press(.escape)
    case 0x5B:
      buffer.removeAll()
      state = .sequence
    case 0x4F:
      buffer.removeAll()
      state = .singleShift
    case 0x50, 0x58, 0x5D, 0x5E, 0x5F:
      buffer = [byte]
      state = .string(afterEscape: false)
    default:
      isAlt = true
      state = .ground
      takeFirst(byte)
    }
  }

  private mutating func restart() {
    reset()
    state = .escape
  }

  private mutating func collect(_ byte: UInt8) {
    buffer.append(byte)
    if buffer.count > Self.maximumSequence { reset() }
  }

  private mutating func takeInSequence(_ byte: UInt8) {
    switch byte {
    case 0x1B: restart()
    case 0x18, 0x1A: reset()
    case 0x20...0x3F: collect(byte)
    case 0x5B where buffer.isEmpty: collect(byte)  // The Linux console's function keys: ESC [ [ A
    case 0x40...0x7E:
      let parameters = buffer
      reset()
      finishSequence(parameters, final: byte)
    default: reset()
    }
  }
}

// The meanings of sequences.
extension KeyParser {
  /// Handles an answer: the attributes that are set, with the requested colour (`P 1 $ r … m`, DECRQSS), a capability
  /// (`P 1 + r`, XTGETTCAP), the terminal's version (`P > |`, XTVERSION) or the clipboard (`] 52`), all as in xterm's
  /// `ctlseqs`.
  private mutating func finishString(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.lowercased().hasPrefix("p1+r" + TerminalModes.clipboardCapability) {
      return events.append(.acceptsClipboard)
    }
    if text.hasPrefix("]52;") {
      // Some terminals end it with ESC \, of which the Escape is in `content`.
      let content = text.split(separator: ";", omittingEmptySubsequences: false).last ?? ""
      return events.append(.clipboard(base64: String(content.prefix { $0 != "\u{1B}" })))
    }
    if text.hasPrefix("]11;rgb:") {
      let channels = text.dropFirst(8).split(separator: "/").map { $0.first?.hexDigitValue ?? 0 }
      if channels.count == 3, channels.max()! + channels.min()! > 15 {
        events.append(.lightBackground)
      }
      return
    }
    if let medium = PixelQuestion.medium(confirmedBy: text) {
      return events.append(.pixels(medium))
    }
    if let version = TerminalVersion(answer: text) {
      if version.drawsOctants { events.append(.octants) }
      return
    }
    guard text.hasPrefix("P1$r") else { return }
    let numbers = text.split { !$0.isNumber }.map(String.init)
    guard let color = numbers.firstIndex(of: "48") else { return }
    let channels = TerminalModes.testColor.map { "\($0)" }
    if numbers[color...].suffix(3) == channels[...] { events.append(.directColor) }
  }

  private mutating func finishSingleShift(_ final: UInt8) {
    let modifiers = Self.modifiers(Self.numbers(buffer).last ?? 1)
    reset()
    switch final {
    case 0x50...0x53: press(.function(Int(final) - 0x4F), modifiers)
    case 0x4D: press(.enter, modifiers)
    // The keypad in application mode sends its digits and signs as letters.
    case 0x6A...0x79: press(.character(Character(Unicode.Scalar(final - 0x40))), modifiers)
    default: if let key = Self.cursorKeys[final] { press(key, modifiers) }
    }
  }

  private mutating func finishSequence(_ parameters: [UInt8], final: UInt8) {
    if parameters.first == 0x3C {
      return finishMouse(Self.numbers(parameters.dropFirst()), isRelease: final == 0x6D)
    }
    if parameters.first == 0x5B {
      if (0x41...0x45).contains(final) { press(.function(Int(final) - 0x40)) }
      return
    }
    // A private marker: a terminal's answer to a question.
    if let first = parameters.first, (0x3C...0x3F).contains(first) {
      if first == 0x3F { finishAnswer(Self.numbers(parameters.dropFirst()), final: final) }
      return
    }
    let numbers = Self.numbers(parameters)
    let modifiers = Self.modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case 0x49: events.append(.focus(true))
    case 0x4F: events.append(.focus(false))
    case 0x4D where parameters.isEmpty: state = .oldMouse(remaining: 3)
    case 0x5A: press(.tab, modifiers.union(.shift))
    case 0x50, 0x51, 0x53: press(.function(Int(final) - 0x4F), modifiers)
    // F3 with a modifier; without one it is a cursor position report.
    case 0x52 where numbers.count == 2 && numbers[0] == 1: press(.function(3), modifiers)
    case 0x6E where numbers == [0]: events.append(.status)
    case 0x74 where numbers.count == 3 && numbers[0] == 6:
      events.append(.cell(CellSize(width: Double(numbers[2]), height: Double(numbers[1]))))
    case 0x75: pressCode(numbers.first ?? 0, modifiers)
    case 0x7E: finishTilde(numbers, modifiers)
    default: if let key = Self.cursorKeys[final] { press(key, modifiers) }
    }
  }

  /// Handles the device's attributes (DA1), of which 4 is sixels, and the limits of those (XTSMGRAPHICS).
  private mutating func finishAnswer(_ numbers: [Int], final: UInt8) {
    switch (final, numbers.count) {
    case (0x63, _):
      if numbers.dropFirst().contains(4) { events.append(.sixel) }
      events.append(.attributes)
    case (0x53, 3) where numbers.starts(with: [1, 0]): events.append(.sixelColors(numbers[2]))
    case (0x53, 4) where numbers.starts(with: [2, 0]):
      events.append(.sixelSize(width: numbers[2], height: numbers[3]))
    default: break
    }
  }

  private mutating func finishTilde(_ numbers: [Int], _ modifiers: KeyPress.Modifiers) {
    switch numbers.first ?? 0 {
    case 1, 7: press(.home, modifiers)
    case 2: press(.insert, modifiers)
    case 3: press(.delete, modifiers)
    case 4, 8: press(.end, modifiers)
    case 5: press(.pageUp, modifiers)
    case 6: press(.pageDown, modifiers)
    case let code where (11...15).contains(code): press(.function(code - 10), modifiers)
    case let code where (17...21).contains(code): press(.function(code - 11), modifiers)
    case let code where (23...26).contains(code): press(.function(code - 12), modifiers)
    case 27 where numbers.count == 3: pressCode(numbers[2], modifiers)  // modifyOtherKeys
    case 200: state = .paste
    default: break
    }
  }

  /// Handles a key by its code point: `CSI code ; modifiers u`, and xterm's modifyOtherKeys.
  private mutating func pressCode(_ code: Int, _ modifiers: KeyPress.Modifiers) {
    switch code {
    case 9: press(.tab, modifiers)
    case 13: press(.enter, modifiers)
    case 27: press(.escape, modifiers)
    case 8, 127: press(.backspace, modifiers)
    case 32...0x10FFFF:
      guard let scalar = Unicode.Scalar(UInt32(code)), scalar.properties.generalCategory != .control
      else { return }
      let character = Character(scalar)
      // Keyboards with a key for "=" have "+" above it, and some terminals only report the key.
      if character == "=", modifiers.isSuperset(of: [.shift, .control]) {
        return press(.character("+"), modifiers.subtracting(.shift))
      }
      if modifiers.contains(.shift), let upper = character.uppercased().first {
        press(.character(upper), modifiers.subtracting(.shift))
      } else {
        press(.character(character), modifiers)
      }
    default: break
    }
  }

  /// Handles SGR mouse reports (mode 1006): button, column and row, the latter two from 1.
  private mutating func finishMouse(_ numbers: [Int], isRelease: Bool) {
    guard numbers.count == 3, numbers[1] >= 1, numbers[2] >= 1 else { return }
    let point = ScreenPoint(column: numbers[1] - 1, row: numbers[2] - 1)
    // Bits 2, 3 and 4 are shift, alt and control; bit 5 is motion; bit 6 the wheel.
    switch numbers[0] & ~0b1_1100 {
    case 0: events.append(.mouse(MouseEvent(isRelease ? .release : .press, at: point)))
    case 2 where !isRelease: events.append(.mouse(MouseEvent(.secondaryPress, at: point)))
    case 32: events.append(.mouse(MouseEvent(.drag, at: point)))
    case 64 where !isRelease: events.append(.mouse(MouseEvent(.wheelUp, at: point)))
    case 65 where !isRelease: events.append(.mouse(MouseEvent(.wheelDown, at: point)))
    default: break  // Other buttons.
    }
  }

  private mutating func takePasted(_ byte: UInt8) {
    buffer.append(byte)
    let end = Self.pasteEnd
    if byte == end[end.count - 1], buffer.suffix(end.count).elementsEqual(end) {
      buffer.removeLast(end.count)
      finishPaste()
      reset()
    } else if buffer.count >= Self.maximumPaste + end.count {
      // Drops the newest bytes, but keeps enough of them to recognize the end.
      buffer.removeSubrange(Self.maximumPaste..<buffer.count - (end.count - 1))
    }
  }

  private mutating func finishPaste() {
    events.append(.paste(String(decoding: buffer.prefix(Self.maximumPaste), as: UTF8.self)))
  }

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// Returns the semicolon-separated numbers. An empty one is 1, the default of all sequences that are read here; a
  /// number that is too large to have a meaning is limited. Sub-parameters, which follow colons, are left out.
  private static func numbers(_ bytes: some Sequence<UInt8>) -> [Int] {
    String(decoding: Array(bytes), as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false)
      .map { min(Int($0.prefix { $0 != ":" }.prefix(9)) ?? 1, 1_000_000_000) }
  }

  private static func modifiers(_ parameter: Int) -> KeyPress.Modifiers {
    // Bits above the third are super, hyper, meta and the locks.
    KeyPress.Modifiers(rawValue: UInt8(max(0, parameter - 1) & 0b111))
  }

  private static let cursorKeys: [UInt8: Key] = [
    0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home,
  ]
}
