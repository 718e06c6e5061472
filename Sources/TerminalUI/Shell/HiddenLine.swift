import CTerminalGuard
import Glibc

/// A line of input on a plain terminal, before any screen is open, that is shown only in part.
package enum HiddenLine {
  /// Asks for a line on standard error and reads it from standard input, a terminal. Blocks without a limit, and
  /// therefore needs a thread of its own.
  ///
  /// Nothing after the line is consumed. A signal that ends the process, ctrl-c too, restores the terminal first.
  ///
  /// - Parameters:
  ///   - prompt: the text before the input.
  ///   - shown: returns the text to show for what was typed so far. A terminal without a cursor shows nothing.
  /// - Returns: nil at the end of the input.
  package static func read(_ prompt: String, showing shown: (String) -> String) -> String? {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0, let signals = try? Pipe() else { return nil }
    defer { signals.close() }
    let end = Array("\r\n".utf8)
    end.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        terminal_guard_arm(STDIN_FILENO, &before, $0.baseAddress, $0.count)
      }
    }
    terminal_guard_watch(signals.writing)
    terminal_guard_listen()
    defer {
      terminal_guard_unwatch()
      if terminal_guard_disarm() { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
      write("\n")
    }
    hide(before)
    var line = PartialLine()
    let canRedraw = !["", "dumb"].contains(getenv("TERM").map { String(cString: $0) } ?? "")
    func draw() {
      let room = max(0, columns - prompt.count - 1)
      write(canRedraw ? "\r\(prompt)\(shown(line.text).prefix(room))\u{1B}[K" : prompt)
    }
    draw()
    while true {
      var ready = [STDIN_FILENO, signals.reading].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&ready, 2, -1) >= 0 || errno == EINTR else { return nil }
      if ready[1].revents != 0, let number = byte(from: signals.reading) {
        switch Int32(number) {
        case SIGINT, SIGTERM, SIGHUP: terminal_guard_die(Int32(number))
        case SIGCONT:
          hide(before)
          draw()
        default: break
        }
      }
      guard ready[0].revents != 0 else { continue }
      guard let byte = byte(from: STDIN_FILENO) else { return nil }
      switch line.append(byte) {
      case .more: if canRedraw { draw() }
      case .complete: return line.text
      case .end: return nil
      case .interrupt: terminal_guard_die(SIGINT)
      }
    }
  }

  /// Ctrl-c is read as a byte.
  private static func hide(_ settings: termios) {
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    withUnsafeMutableBytes(of: &silent.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &silent)
  }

  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private static func byte(from descriptor: Int32) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(descriptor, &byte, 1)
      if count == 1 { return byte }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// The bytes of a line as a terminal sends them, until the enter key.
struct PartialLine: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case more, complete, interrupt
    /// Ctrl-d on an empty line.
    case end
  }

  private enum Sequence: Hashable, Sendable {
    case none, escape, parameters
  }

  private var bytes: [UInt8] = []
  private var sequence = Sequence.none

  /// More than any line that is asked for.
  private static let limit = 4096

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ byte: UInt8) -> Outcome {
    switch sequence {
    case .escape:
      sequence = byte == UInt8(ascii: "[") ? .parameters : .none
      return .more
    case .parameters:
      // The marks of a paste, and keys such as arrows.
      if (0x40...0x7E).contains(byte) { sequence = .none }
      return .more
    case .none: break
    }
    switch byte {
    case 0x0A, 0x0D: return .complete
    case 0x03: return .interrupt
    case 0x04 where bytes.isEmpty: return .end
    case 0x08, 0x7F:
      while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    case 0x15: bytes = []
    case 0x1B: sequence = .escape
    case 0x20...: if bytes.count < Self.limit { bytes.append(byte) }
    default: break
    }
    return .more
  }
}
