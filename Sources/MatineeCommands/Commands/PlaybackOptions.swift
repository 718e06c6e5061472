import ArgumentParser
import Foundation
import MPVPlayer
import MatineeKit
import TerminalVideo

/// The picture and the sound of this participant.
struct PlaybackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the film is shown (default: auto).",
      discussion:
        "auto: mpv's window if there is a display, otherwise the terminal. none: decode but show nothing, which is the default with --headless."
    ))
  var video: Video?

  @Option(
    help: ArgumentHelp(
      "How the film in the terminal is drawn.",
      discussion:
        "auto: pixels where the terminal has them, otherwise the finest blocks that it draws. halves: two pixels per cell. quadrants: four pixels per cell, in two colours. octants: eight, with a terminal or font of 2024 or later. sixel, pixels: sixels or kitty's graphics, also on slow links. The key K changes it during the film."
    ))
  var blocks = Blocks.auto

  @Option(help: "Colours of that picture (default: detected).")
  var colors: Colors?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Extra output delay of your TV or speaker.",
      discussion: "From -2000 to 10000 ms; 0.18s works too. Remembered for the audio device.",
      valueName: "ms"),
    transform: PlaybackOptions.latencyOffset)
  var latencyOffset: LatencyOffset?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Lower the film while people talk in a call program.",
      discussion: "By 12 dB, with PulseAudio or PipeWire. The key e changes it during the film."))
  var duck = false

  @OptionGroup var player: MPVOptions

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Continue the film where you stopped watching it.",
      discussion: "Not when you join a party, which is where everyone is."))
  var resume = false

  enum Video: String, ExpressibleByArgument, CaseIterable { case auto, window, terminal, none }

  enum Blocks: String, ExpressibleByArgument, CaseIterable {
    case auto, halves, quadrants, octants, sixel, pixels

    /// The value for the picture; nil for the best that the terminal supports.
    var kind: PictureQuality.Blocks? {
      switch self {
      case .auto: nil
      case .halves: .halves
      case .quadrants: .quadrants
      case .octants: .octants
      case .sixel: .sixel
      case .pixels: .pixels
      }
    }
  }

  enum Colors: String, ExpressibleByArgument, CaseIterable {
    case direct = "24bit"
    case indexed = "256"

    var quality: PictureQuality.Colors {
      switch self {
      case .direct: .direct
      case .indexed: .indexed
      }
    }
  }

  private static func latencyOffset(_ text: String) throws -> LatencyOffset {
    do {
      return try LatencyOffset(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
  }
}

extension MPVConfiguration.Option: ExpressibleByArgument {
  /// Parses `NAME=VALUE`, with or without leading dashes.
  ///
  /// - Returns: nil without an equals sign, or without a name.
  public init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
      return nil
    }
    self.init(
      name: String(argument[..<equals]).trimmingCharacters(in: CharacterSet(charactersIn: "-")),
      value: String(argument[argument.index(after: equals)...]))
  }
}
