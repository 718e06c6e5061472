import ArgumentParser
import Doors
import FileNames
import Foundation
import GroupActivities
import MatineeKit

struct Watch: FilmCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch a film, or browse a folder of films (the default command).")

  @Argument(help: "Films, URLs or folders.", completion: .file())
  var films: [String] = []

  @OptionGroup(title: "General") var general: GeneralOptions
  @OptionGroup(title: "Picture and sound") var playback: PlaybackOptions
  @OptionGroup(title: "Interface") var interface: InterfaceOptions
  @OptionGroup(title: "Hosting a party") var hosting: HostingOptions
  @OptionGroup(title: "Hosting a party") var relay: RelayOptions

  /// Runs the command. The first argument may also be an invite: a desktop that opens one passes it like a file.
  func run() async throws {
    if let first = films.first,
      let message = MistypedCommand.message(
        for: first, commands: StartContext.current.commandNames,
        exists: first.withFileName { access($0, F_OK) == 0 })
    {
      ExitStatus.printError(message)
      throw ExitCode.validationFailure
    }
    let isInvite = films.first?.lowercased().hasPrefix(Invite.scheme + "://") ?? false
    try await ErrorScreen.wait(options.interface.waitOnError) {
      try await Session.run(
        films: isInvite ? Array(films.dropFirst()) : films, options: options,
        hosting: try hosting.hosting(over: relay), inviteFile: hosting.inviteFile,
        resumes: playback.resume,
        entrance: isInvite ? .joining(try Join.invite(films[0])) : .alone)
    }
  }
}

struct Host: FilmCommand {
  static let configuration = CommandConfiguration(abstract: "Open a party and show its invite.")

  @Argument(help: "Films, URLs or folders.", completion: .file())
  var films: [String] = []

  @OptionGroup(title: "General") var general: GeneralOptions
  @OptionGroup(title: "Picture and sound") var playback: PlaybackOptions
  @OptionGroup(title: "Interface") var interface: InterfaceOptions
  @OptionGroup(title: "Hosting a party") var hosting: HostingOptions
  @OptionGroup(title: "Hosting a party") var relay: RelayOptions

  mutating func validate() throws {
    try options.check()
    guard relay.relay != nil || (relay.relayCA == nil && relay.relayCredentials == nil) else {
      throw ValidationError("--relay-ca and --relay-credentials need --relay.")
    }
  }

  func run() async throws {
    try await ErrorScreen.wait(options.interface.waitOnError) {
      try await Session.run(
        films: films, options: options, hosting: try hosting.hosting(over: relay),
        inviteFile: hosting.inviteFile, resumes: playback.resume, entrance: .hosting)
    }
  }
}

struct Join: FilmCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a party, with or without your own copy of the film.",
    discussion: """
      Without an invite, it asks for one: paste it there. With an empty line it lists the parties on the local network, \
      which needs an Avahi daemon on your machine and on the host's. You still need the part of the invite after the #.
      """)

  @Argument(
    help:
      "The host's invite, matinee://…, in quotation marks; without it you are asked; - reads standard input. Or syncplay://HOST[:PORT]/ROOM."
  )
  var invite: String?

  @Argument(help: "Your own copies, URLs or folders.", completion: .file())
  var films: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the invite from this file.",
      discussion:
        "An invite on the command line remains in the shell's history; a file's does not.",
      valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @Flag(
    help: ArgumentHelp(
      "Your file is another copy of the party's film.",
      discussion: "It is aligned by its sound, and refused if too little of that agrees."))
  var sameFilm = false

  @Option(
    help: ArgumentHelp(
      "Read the password of a Syncplay server from this file.",
      discussion: "Otherwise you are asked for it if the server requires one.", valueName: "path"),
    completion: .file())
  var passwordFile: String?

  @Option(
    help: ArgumentHelp(
      "Read the operators' password of a managed Syncplay room from this file.",
      discussion: "With it your commands count in a room +NAME:HASH.", valueName: "path"),
    completion: .file())
  var operatorPasswordFile: String?

  @OptionGroup(title: "General") var general: GeneralOptions
  @OptionGroup(title: "Picture and sound") var playback: PlaybackOptions
  @OptionGroup(title: "Interface") var interface: InterfaceOptions

  @OptionGroup(title: "Relay") var relay: RelayOptions

  func run() async throws {
    try await ErrorScreen.wait(options.interface.waitOnError) { try await enter() }
  }

  private func enter() async throws {
    if let invite, RoomAddress.isMeant(by: invite) {
      let room = try await RoomEntrance.enter(
        invite, as: general.name, passwordFile: passwordFile,
        operatorPasswordFile: operatorPasswordFile, trusting: relay.relayCA,
        asks: !options.interface.headless)
      return try await Session.run(
        films: films, options: options, hosting: relay.hosting, entrance: .room(room))
    }
    let parsed: Invite
    do {
      if let text = try await givenText() {
        parsed = try Self.invite(text)
      } else {
        parsed = try await PartyPicker.pick(headless: options.interface.headless)
      }
    } catch let exit as ExitCode {
      throw exit
    } catch {
      ExitStatus.printError("\(error)")
      throw ExitStatus.of(error)
    }
    try await Session.run(
      films: isFilm ? [invite].compactMap { $0 } + films : films, options: options,
      hosting: relay.hosting, namesSameFilm: sameFilm, entrance: .joining(parsed))
  }

  /// - Throws: an exit code, after the problem with the invite is printed.
  static func invite(_ text: String) throws -> Invite {
    do {
      return try Invite(text)
    } catch {
      ExitStatus.printError(error.description)
      throw ExitStatus.refused
    }
  }

  /// A Boolean value that indicates whether the first argument is a film: the invite comes from a file, or a file with
  /// the argument's name exists.
  private var isFilm: Bool {
    guard let invite else { return false }
    return inviteFile != nil || invite.withFileName { access($0, F_OK) } == 0
  }

  /// - Returns: nil if no invite was given, which means to ask for it.
  private func givenText() async throws -> String? {
    if let inviteFile { return try InviteFile.read(inviteFile) }
    guard let invite, !isFilm else { return nil }
    guard invite == "-" else { return invite }
    let pasted = try await InviteFile.readStandardInput()
    if !options.interface.headless, isatty(STDIN_FILENO) != 1 {
      // The pipe is at its end, so the keys come from the terminal.
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
      if terminal >= 0 {
        dup2(terminal, STDIN_FILENO)
        close(terminal)
      }
    }
    return pasted
  }
}
