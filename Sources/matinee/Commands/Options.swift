import ArgumentParser
import Foundation
import GroupActivities
import MPVPlayer
import TerminalUI
import TerminalVideo

/// The options that every command with a player has.
struct PlayerOptions: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The name that the others see. Default: your user name.", valueName: "name"))
  var givenName: String?

  @Option(
    help: ArgumentHelp(
      "Where the picture goes. Default: auto, and none with --headless.",
      discussion:
        "auto is mpv's window if there is a display, else the terminal; none decodes all the same.")
  )
  var video: Video?

  @Option(
    name: .customLong("mpv"),
    help: ArgumentHelp(
      "Set an option of mpv's; has the last word; repeatable.", valueName: "name=value"))
  var mpv: [MPVConfiguration.Option] = []

  @Option(
    help: ArgumentHelp(
      "Show this before the first film; repeatable.",
      discussion:
        "A trailer in a second player. The others wait for you, a minute at most, unless the party waits for nobody.",
      valueName: "file"),
    completion: .file())
  var preroll: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Show up to three more films beside the first, as one: other angles of it. # takes the sound of the next one.",
      valueName: "file"))
  var angles: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write how well you keep in step to this file, as comma-separated values.",
      valueName: "file"),
    completion: .file())
  var syncLog: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much later than mpv thinks you see and hear, -2000 to 10000 ms.",
      discussion:
        "For a Bluetooth speaker or a television. Remembered for the sound device. 0.18s is understood too.",
      valueName: "ms"),
    transform: PlayerOptions.latencyOffset)
  var latencyOffset: LatencyOffset?

  @Option(
    help: ArgumentHelp(
      "How many colours the picture in the terminal has, where the terminal can't be asked."))
  var colors: Colors?

  @Option(
    help: ArgumentHelp(
      "What the picture in the terminal is made of.",
      discussion:
        "halves: two pixels a cell in their colours; quadrants: four in the two colours that suit them best; pixels, where the terminal has kitty's graphics."
    ))
  var blocks = PictureQuality.Blocks.halves

  @Option(
    name: .customLong("notify"),
    help: ArgumentHelp(
      "What tells you that somebody says your name.",
      discussion: "The terminal's bell, or the desktop if the terminal passes it on."))
  var notice = TerminalScreen.Configuration.Notice.off

  @Option(
    help: ArgumentHelp(
      "Colours: standard, high-contrast, or a file. Default: ~/.config/matinee/theme.conf if it is there.",
      valueName: "name|file"),
    completion: .file())
  var theme: String?

  @Option(
    name: .customLong("library"),
    help: ArgumentHelp(
      "Look through this folder in the background, so that its films are found by name and by content; remembered; repeatable.",
      valueName: "folder"),
    completion: .directory)
  var libraryFolders: [String] = []

  @Flag(
    name: .customLong("config"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Use your mpv configuration and scripts.")
  var readsMPVConfiguration = true

  @Flag(
    name: .customLong("private"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help:
      "Remember nothing of this: neither what is watched, nor how far, nor parties, nor offsets.")
  var isPrivate = false

  @Flag(
    name: .customLong("now-playing"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help:
      "Show the desktop what plays (MPRIS), and let its media keys command it. With --private it doesn't."
  )
  var publishesNowPlaying = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "No screen: events as JSON lines on standard output, commands on standard input.")
  var headless = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "No screen: a sentence a line of what happens, commands on standard input.")
  var screenReader = false

  /// For a terminal that a desktop opens for the program alone, and closes with it.
  @Flag(
    help: ArgumentHelp("Leave an error on the screen until enter is pressed.", visibility: .hidden))
  var waitOnError = false

  enum Video: String, ExpressibleByArgument, CaseIterable { case auto, window, terminal, none }

  enum Colors: String, ExpressibleByArgument, CaseIterable {
    case direct = "24bit"
    case indexed = "256"
  }

  var name: String {
    givenName ?? ProcessInfo.processInfo.environment["USER"] ?? "Guest"
  }

  func screen(_ files: UserFiles) -> TerminalScreen.Configuration {
    let depth: PictureQuality.Colors? =
      switch colors {
      case .direct: .direct
      case .indexed: .indexed
      case nil: nil
      }
    return TerminalScreen.Configuration(
      blocks: blocks, colors: depth, notice: notice, keyBindings: files.keyBindings,
      theme: files.theme)
  }

  mutating func validate() throws {
    if video == .terminal, headless || screenReader {
      let option = headless ? "--headless" : "--screen-reader"
      throw ValidationError("--video terminal needs the screen that \(option) leaves out")
    }
    guard angles.count <= 3 else {
      throw ValidationError(
        "--angles takes up to three films beside the first, not \(angles.count)")
    }
    if headless, screenReader {
      throw ValidationError("--headless writes for programs, --screen-reader for people: take one")
    }
    guard PartyText.name(name) != nil else {
      throw ValidationError("--name needs something that can be read")
    }
  }

  /// What leaves no trace isn't shown on lock screens, nor read by whatever listens on the session bus.
  var showsNowPlaying: Bool { publishesNowPlaying && !isPrivate }

  private static func latencyOffset(_ text: String) throws -> LatencyOffset {
    do {
      return try LatencyOffset(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
  }

  var configuration: MPVConfiguration {
    let mode: MPVConfiguration.VideoMode =
      switch video ?? (headless ? .none : .auto) {
      case .auto: Display.isThere ? .window : headless || screenReader ? .none : .frames
      case .terminal: .frames
      case .window: .window
      case .none: .none
      }
    var configuration = MPVConfiguration(
      video: mode, noConfig: !readsMPVConfiguration, options: mpv)
    configuration.offersFrames = !headless && !screenReader
    return configuration
  }
}

extension PictureQuality.Blocks: ExpressibleByArgument {}
extension TerminalScreen.Configuration.Notice: ExpressibleByArgument {}

extension MPVConfiguration.Option: ExpressibleByArgument {
  public init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
      return nil
    }
    self.init(
      name: String(argument[..<equals]).trimmingCharacters(in: CharacterSet(charactersIn: "-")),
      value: String(argument[argument.index(after: equals)...]))
  }
}

/// The options of those who open a party.
struct HostingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the relay listens. Default: all addresses, port 62846.",
      discussion: "Port 0 is any free one, and the host * all addresses.", valueName: "host:port"))
  var listen: ListenAddress?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Ask the router to let friends in from outside (UPnP, NAT-PMP).")
  var portMapping = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Announce the party on the local network (mDNS).")
  var announce = true

  @OptionGroup var relay: RelayOptions

  @Option(
    help: ArgumentHelp("Write the invite to this file, readable by you only.", valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @Option(help: "Whose commands move everybody in the party that you open.")
  var control: Control = .everyone

  @Option(
    help: ArgumentHelp(
      "For whom a start in the party that you open waits.",
      discussion: "nobody: neither for trailers nor for those who aren't ready."))
  var waitFor: Waiting = .everyone

  enum Control: String, ExpressibleByArgument, CaseIterable { case everyone, hosts }
  enum Waiting: String, ExpressibleByArgument, CaseIterable { case everyone, nobody }

  var hosting: PartyHosting.Options {
    var options = PartyHosting.Options()
    if let listen {
      options.host = listen.host
      options.port = listen.port
    }
    options.mapsPort = portMapping
    options.announces = announce
    options.brokers = relay.brokers
    options.control = control == .hosts ? .hosts : .everyone
    options.waiting = waitFor == .nobody ? .nobody : .everyone
    return options
  }
}

/// `HOST:PORT`, where the port may be 0 for any free one, and the host `*` for all addresses.
struct ListenAddress: ExpressibleByArgument, Sendable {
  var host: String
  var port: Int

  init?(argument: String) {
    if argument.hasPrefix("*:"), let all = ListenAddress(argument: "0.0.0.0" + argument.dropFirst())
    {
      (host, port) = ("*", all.port)
    } else if argument.hasSuffix(":0"), let address = Invite.Address(argument.dropLast(2) + ":1") {
      (host, port) = (address.host, 0)
    } else if let address = Invite.Address(argument) {
      (host, port) = (address.host, address.port)
    } else {
      return nil
    }
  }
}
