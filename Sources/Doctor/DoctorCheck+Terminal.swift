import Concurrency
import Foundation
import TerminalUI

extension DoctorCheck {
  package static let terminal = DoctorCheck(subject: "terminal", progress: "Asking the terminal…") {
    let environment = ProcessInfo.processInfo.environment
    let result = await OwnedThread.run("doctor") {
      Result { () throws(TerminalError) in
        try TerminalProbe.abilities(within: .seconds(1))
      }
    }
    let terminal: [DoctorFinding] =
      switch result {
      case .success(let abilities): findings(of: abilities, environment)
      case .failure(let error): [.notice("terminal", error.description)]
      }
    return terminal + [clipboard(try? result.get(), environment)]
  }

  static func findings(of abilities: TerminalAbilities, _ environment: [String: String])
    -> [DoctorFinding]
  {
    let type = environment["TMUX"] == nil ? abilities.type : "\(abilities.type), in tmux"
    let terminal: DoctorFinding =
      abilities.isUnicode
      ? .good("terminal", "\(type), UTF-8")
      : .notice(
        "terminal",
        "\(type); the locale isn't UTF-8, so lines are drawn in ASCII. Try LANG=C.UTF-8.")
    return [terminal, colors(abilities), graphics(abilities, environment)]
  }

  private static func colors(_ abilities: TerminalAbilities) -> DoctorFinding {
    if abilities.isColorUnwanted { return .notice("colours", "off, because NO_COLOR is set") }
    if abilities.hasDirectColor { return .good("colours", "24-bit (true colour)") }
    switch abilities.colors {
    case 256...:
      return .notice("colours", "256; if the terminal has 24-bit colour, try --colors 24bit")
    case 8...: return .notice("colours", "only \(abilities.colors); try TERM=xterm-256color")
    default: return .notice("colours", "none")
    }
  }

  private static func graphics(
    _ abilities: TerminalAbilities, _ environment: [String: String]
  ) -> DoctorFinding {
    if environment["TMUX"] != nil {
      return abilities.answers?.hasKittyGraphics == true
        ? .good("graphics", "kitty, through tmux")
        : .notice(
          "graphics",
          "none through tmux; films are drawn with characters. With kitty, try: set -g allow-passthrough on"
        )
    }
    guard let answers = abilities.answers else {
      return .notice(
        "graphics", "the terminal didn't answer; films are drawn with characters")
    }
    let octants = answers.hasOctants ? "octants" : nil
    guard answers.hasKittyGraphics || answers.hasSixel else {
      return .notice(
        "graphics",
        "neither kitty graphics nor sixel; films are drawn with \(octants ?? "characters")")
    }
    let found = [
      answers.hasKittyGraphics ? "kitty" : nil, answers.hasSixel ? "sixel" : nil, octants,
    ]
    return .good("graphics", found.compactMap { $0 }.joined(separator: ", "))
  }

  /// - Parameter abilities: the terminal's abilities; nil without a terminal.
  static func clipboard(_ abilities: TerminalAbilities?, _ environment: [String: String])
    -> DoctorFinding
  {
    let isWayland = environment["WAYLAND_DISPLAY"]?.isEmpty == false
    let isX11 = environment["DISPLAY"]?.isEmpty == false
    if isWayland, Executable.exists("wl-copy", environment) {
      return .good("clipboard", "wl-copy")
    }
    if isX11, let tool = ["xclip", "xsel"].first(where: { Executable.exists($0, environment) }) {
      return .good("clipboard", tool)
    }
    if abilities?.answers?.acceptsClipboard == true {
      return .good("clipboard", "the terminal's (OSC 52)")
    }
    let tool = isWayland ? "wl-clipboard" : isX11 ? "xclip" : nil
    return .notice(
      "clipboard",
      (abilities == nil
        ? "no clipboard found" : "the terminal doesn't say whether programs may set it (OSC 52)")
        + (tool.map { "; to be sure, install \($0)" } ?? "")
        + (environment["TMUX"] == nil ? "" : "; tmux needs: set -g set-clipboard on"))
  }
}

/// Programs that a shell would find.
enum Executable {
  static func exists(_ name: String, _ environment: [String: String]) -> Bool {
    path(of: name, environment) != nil
  }

  static func path(of name: String, _ environment: [String: String]) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
