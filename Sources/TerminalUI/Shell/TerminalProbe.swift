import CNCurses
import Glibc
import Timekeeping

/// Asks the terminal about its abilities, before any screen is open.
package enum TerminalProbe {
  /// Checks that there is a terminal for a screen.
  ///
  /// - Throws: if there is no terminal that can show a screen.
  package static func check() throws(TerminalError) {
    _ = try TerminalEnvironment.detect()
  }

  /// Returns the terminal's abilities. Blocks until the terminal has answered, or for `limit`, and therefore needs a
  /// thread of its own.
  ///
  /// - Throws: if there is no terminal that can show a screen.
  package static func abilities(within limit: Duration) throws(TerminalError) -> TerminalAbilities {
    let environment = try TerminalEnvironment.detect()
    let answers = environment.answersQuestions ? ask(environment, within: limit) : nil
    return TerminalAbilities(
      type: environment.type, colors: max(0, Int(cncurses_number("colors"))),
      hasDirectColor: environment.pictureColors == .direct || answers?.hasDirectColor == true,
      isColorUnwanted: !environment.hasColor, isUnicode: environment.isUnicode, answers: answers)
  }

  /// Asks the terminal.
  ///
  /// - Returns: nil if the terminal doesn't answer.
  private static func ask(_ environment: TerminalEnvironment, within limit: Duration)
    -> TerminalAbilities.Answers?
  {
    var settings = termios()
    // In the background, changing the settings would stop the process.
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0 else {
      return nil
    }
    var silent = settings
    // Without ISIG a ctrl-c can't end the process while the settings are changed.
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &silent) == 0 else { return nil }
    let throughTmux = TerminalEnvironment.isTmux
    let question = TerminalAbilities.question(
      graphics: environment.mayBeAskedAboutPixels || throughTmux, throughTmux: throughTmux)
    var bytes: [UInt8] = []
    if write(STDOUT_FILENO, question, question.count) == question.count {
      bytes = answers(until: .now() + limit, throughTmux: throughTmux)
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    if bytes.contains(0x03) { raise(SIGINT) }
    let answers = TerminalAbilities.Answers(parsing: bytes)
    return answers.isComplete ? answers : nil
  }

  /// The time in which the terminal of tmux answers, after tmux itself.
  private static let tmuxLimit = Duration.milliseconds(300)

  /// Reads the answers.
  ///
  /// - Returns: all bytes that the terminal sent up to its last answer.
  private static func answers(until limit: HostTime, throughTmux: Bool) -> [UInt8] {
    var deadline = limit
    var isComplete = false
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while bytes.count < 1 << 16, !bytes.contains(0x03) {
      let remaining = (deadline - .now()).inMilliseconds
      var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard remaining > 0, poll(&descriptor, 1, Int32(remaining.rounded(.up))) > 0 else { break }
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
      let answers = TerminalAbilities.Answers(parsing: bytes)
      guard answers.isComplete else { continue }
      if !throughTmux || answers.hasKittyGraphics { break }
      if !isComplete { deadline = min(deadline, .now() + tmuxLimit) }
      isComplete = true
    }
    return bytes
  }
}
