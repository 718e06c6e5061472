import Concurrency
import Foundation
import MatineeKit
import TerminalUI

/// The desktop's clipboard, set by the usual clipboard programs.
///
/// A terminal that is asked to set the clipboard (OSC 52) doesn't report the result; these programs do.
enum Clipboard {
  /// The known result of copying, in order of increasing certainty.
  enum Outcome: Hashable, Sendable, Comparable {
    /// Only the terminal was asked.
    case sent
    /// The terminal reports that it allows programs to set its clipboard.
    case accepted
    /// tmux has returned the text. It is unknown whether tmux's terminal has it, too.
    case inTmux
    /// A program has taken the text, or the terminal has returned it.
    case copied

    /// - Parameter isInTmux: a Boolean value that indicates whether the terminal that answered is tmux.
    init(_ answer: ClipboardAnswer, isInTmux: Bool) {
      self =
        switch answer {
        case .accepts: .accepted
        case .holds: isInTmux ? .inTmux : .copied
        }
    }

    var notice: String {
      switch self {
      case .sent: "Sent to the terminal. If pasting fails, press s to save it to a file."
      case .accepted: "Copied to the terminal's clipboard."
      case .inTmux: "Copied to tmux: paste it with the prefix key and ]."
      case .copied: "Copied to the clipboard."
      }
    }

    var severity: MessageModel.Severity { self == .sent ? .warning : .information }
  }

  /// Returns the programs to try, in order. There are none over SSH, where the clipboard would be another machine's.
  static func programs(environment: [String: String]) -> [[String]] {
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    guard !isSet("SSH_CONNECTION"), !isSet("SSH_TTY") else { return [] }
    let wayland = isSet("WAYLAND_DISPLAY") ? [["wl-copy"]] : []
    let x11 =
      isSet("DISPLAY")
      ? [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]] : []
    return wayland + x11
  }

  /// Passes the text to the first program that accepts it. The text goes to its standard input, because other users can
  /// read arguments.
  static func copy(
    _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) async -> Outcome {
    for program in programs(environment: environment) {
      guard let path = path(of: program[0], environment) else { continue }
      let arguments = Array(program.dropFirst())
      let isDone = await OwnedThread.run("clipboard") {
        run([path] + arguments, input: text, environment, atMost: .seconds(2))
      }
      if isDone { return .copied }
    }
    return .sent
  }

  private static func path(of program: String, _ environment: [String: String]) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/" + program }
      .first { access($0, X_OK) == 0 }
  }

  /// Runs a program; blocks the thread. Foundation's `Process` can't be used: it waits for the background processes
  /// with which these programs serve the text.
  ///
  /// - Returns: a Boolean value that indicates whether the program ended in time and without an error.
  private static func run(
    _ arguments: [String], input: String, _ environment: [String: String], atMost limit: Duration
  ) -> Bool {
    var ends: [Int32] = [-1, -1]
    // An invite is far shorter than a pipe's buffer, so writing doesn't wait for a reader.
    let bytes = Array(input.utf8)
    guard bytes.count <= 4096, pipe(&ends) == 0 else { return false }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let written = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    guard written == bytes.count,
      let id = DetachedProcess.start(
        arguments[0], arguments, input: ends[0], environment: environment, in: .own)
    else {
      return false
    }
    let end = ContinuousClock.now + limit
    var status: Int32 = 0
    while true {
      let ended = waitpid(id, &status, WNOHANG)
      if ended == id { return status == 0 }
      guard ended == 0 || errno == EINTR else { return false }
      guard ContinuousClock.now < end else { break }
      usleep(5000)
    }
    kill(id, SIGKILL)
    waitpid(id, &status, 0)
    return false
  }
}
