import ArgumentParser
import Foundation
import GroupActivities
import MPVPlayer
import TerminalUI
import TerminalVideo

/// The options that every command with a player has.
struct PlayerOptions: ParsableArguments {
  @Option(help: "The name that the others see.")
  var name: String = ProcessInfo.processInfo.environment["USER"] ?? "Guest"

  @Option(help: "Where the picture goes: auto, window, terminal or none.")
  var video: Video?

  @Option(
    name: .customLong("mpv"),
    help: ArgumentHelp("Set an option of mpv's; has the last word.", valueName: "name=value"))
  var mpv: [MPVConfiguration.Option] = []

  @Option(help: ArgumentHelp("Show this before the first film; repeatable.", valueName: "file"))
  var preroll: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write how well you keep in step to this file, as comma-separated values.",
      valueName: "file"))
  var syncLog: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much later than mpv thinks you see and hear, -2000 to 10000 ms: a Bluetooth speaker, a television. Remembered for the sound device.",
      valueName: "ms"),
    transform: PlayerOptions.latencyOffset)
  var latencyOffset: LatencyOffset?

  @Option(
    help: ArgumentHelp(
      "How many colours the picture in the terminal has, if it can't be told: 24bit or 256.",
      valueName: "24bit|256"))
  var colors: Colors?

  @Option(
    help: ArgumentHelp(
      "What the picture in the terminal is made of: two pixels a cell in their colours, four in two, or pixels (kitty's graphics, where the terminal has them).",
      valueName: "halves|quadrants|pixels"))
  var blocks = PictureQuality.Blocks.halves

  @Option(
    name: .customLong("notify"),
    help: ArgumentHelp(
      "What tells you that somebody says your name: the terminal's bell, or the desktop if the terminal passes it on.",
      valueName: "off|bell|desktop"))
  var notice = TerminalScreen.Configuration.Notice.off

  @Option(
    help: ArgumentHelp(
      "Colours: standard, high-contrast, or a file. Default: ~/.config/matinee/theme.conf if it is there.",
      valueName: "name|file"))
  var theme: String?

  @Option(
    name: .customLong("library"),
    help: ArgumentHelp(
      "Look through this folder in the background, so that its films are found by name and by content; remembered; repeatable.",
      valueName: "folder"))
  var libraryFolders: [String] = []

  @Flag(help: "Leave your mpv configuration and scripts out.")
  var noConfig = false

  @Flag(
    name: .customLong("private"),
    help:
      "Remember nothing of this: neither what is watched, nor how far, nor parties, nor offsets.")
  var isPrivate = false

  @Flag(help: "No screen: events as JSON lines on standard output, commands on standard input.")
  var headless = false

  @Flag(help: "No screen: a sentence a line of what happens, commands on standard input.")
  var screenReader = false

  enum Video: String, ExpressibleByArgument, CaseIterable { case auto, window, terminal, none }

  enum Colors: String, ExpressibleByArgument, CaseIterable {
    case direct = "24bit"
    case indexed = "256"
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
    if headless, screenReader {
      throw ValidationError("--headless writes for programs, --screen-reader for people: take one")
    }
    guard PartyText.name(name) != nil else {
      throw ValidationError("--name needs something that can be read")
    }
  }

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
    var configuration = MPVConfiguration(video: mode, noConfig: noConfig, options: mpv)
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
      "Where the relay listens. Default: all addresses, port 62846.", valueName: "host:port"))
  var listen: ListenAddress?

  @Flag(help: "Don't ask the router to let friends in from outside (UPnP, NAT-PMP).")
  var noPortMapping = false

  @Flag(help: "Don't announce the party on the local network (mDNS).")
  var noAnnounce = false

  @OptionGroup var relay: RelayOptions

  @Option(
    help: ArgumentHelp("Write the invite to this file, readable by you only.", valueName: "path"))
  var inviteFile: String?

  @Option(help: "Whose commands move everybody: everyone, or only the hosts.")
  var control: Control = .everyone

  @Option(
    help: ArgumentHelp(
      "Whether a start waits for trailers and for those who aren't ready.",
      valueName: "everyone|nobody"))
  var waitFor: Waiting = .everyone

  enum Control: String, ExpressibleByArgument, CaseIterable { case everyone, hosts }
  enum Waiting: String, ExpressibleByArgument, CaseIterable { case everyone, nobody }

  var hosting: PartyHosting.Options {
    var options = PartyHosting.Options()
    if let listen {
      options.host = listen.host
      options.port = listen.port
    }
    options.mapsPort = !noPortMapping
    options.announces = !noAnnounce
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
