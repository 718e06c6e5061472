import ArgumentParser
import MatineeKit
import Screening
import TerminalUI

/// The screen, or the text interfaces that replace it.
struct InterfaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Colour theme: standard, high-contrast or a file.",
      discussion: "Default: ~/.config/matinee/theme.conf, if that file exists.",
      valueName: "name|file"),
    completion: .file())
  var theme: String?

  @Option(
    name: .customLong("notify"),
    help: ArgumentHelp(
      "Alert you when someone mentions you or waits.",
      discussion:
        "bell: the terminal's bell. desktop: a desktop notification, where the terminal supports it."
    ))
  var notice = TerminalScreen.Configuration.Notice.off

  @Option(
    help: ArgumentHelp(
      "Show reactions over the film.",
      discussion: "rise: they rise. stay: they stay at its bottom. off: they aren't shown."))
  var reactions = Reaction.Motion.rise

  @Flag(
    name: .customLong("now-playing"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Show playback on the desktop (MPRIS).",
      discussion: "The desktop's media keys then control the player. Always off with --private."))
  var publishesNowPlaying = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "For scripts: JSON events out, commands in.",
      discussion:
        "Instead of the screen: one JSON object per line on standard output, one command per line on standard input."
    ))
  var headless = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "For screen readers: one sentence per event.",
      discussion: "Instead of the screen. Commands are read from standard input, one per line."))
  var screenReader = false

  @Option(
    help: ArgumentHelp(
      "Record how well you stay in sync (CSV).", valueName: "file"),
    completion: .file())
  var syncLog: String?

  /// For a terminal that a desktop opens only for this program and closes with it.
  @Flag(
    help: ArgumentHelp("Leave an error on the screen until enter is pressed.", visibility: .hidden))
  var waitOnError = false

  var hasScreen: Bool { !headless && !screenReader }

  mutating func validate() throws {
    if headless, screenReader {
      throw ValidationError("--headless and --screen-reader can't be combined.")
    }
    if let problem = theme.flatMap({ UserFiles.problem(withTheme: $0) }) {
      throw ValidationError(problem + ".")
    }
  }
}

extension TerminalScreen.Configuration.Notice: ExpressibleByArgument {}

extension Reaction.Motion: ExpressibleByArgument {}
