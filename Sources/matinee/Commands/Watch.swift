import ArgumentParser
import Foundation
import GroupActivities

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch; open a party from inside when you like.")

  @Argument(help: "Films, URLs or folders.", completion: .file())
  var films: [String] = []

  @OptionGroup var options: PlayerOptions
  @OptionGroup var hosting: HostingOptions

  /// An invite may stand here too: a desktop that opens one can't tell it from a film.
  func run() async throws {
    let isInvite = films.first?.lowercased().hasPrefix(Invite.scheme + "://") ?? false
    try await ErrorScreen.wait(options.waitOnError) {
      try await Session.run(
        films: isInvite ? Array(films.dropFirst()) : films, options: options,
        hosting: hosting.hosting, inviteFile: hosting.inviteFile,
        entrance: isInvite ? .joining(try Join.invite(films[0])) : .alone)
    }
  }
}

struct Host: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Open a party; shows the invite.")

  @Argument(help: "Films, URLs or folders.", completion: .file())
  var films: [String] = []

  @OptionGroup var options: PlayerOptions
  @OptionGroup var hosting: HostingOptions

  mutating func validate() throws {
    let relay = hosting.relay
    guard relay.relay != nil || (relay.relayCA == nil && relay.relayCredentials == nil) else {
      throw ValidationError("--relay-ca and --relay-credentials are for the servers of --relay")
    }
  }

  func run() async throws {
    try await ErrorScreen.wait(options.waitOnError) {
      try await Session.run(
        films: films, options: options, hosting: hosting.hosting, inviteFile: hosting.inviteFile,
        entrance: .hosting)
    }
  }
}

struct Join: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a party; FILE is your own copy of the film, if you have it.",
    discussion: """
      Without an invite the parties on the local network are offered, as far as their hosts' and this \
      machine's Avahi daemons run. To get in, one still needs what stands after # in the invite.
      """)

  @Argument(
    help:
      "What the host passed on: matinee://… in quotation marks, or - to read it from standard input."
  )
  var invite: String?

  @Argument(help: "Your own copies, URLs or folders.", completion: .file())
  var films: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the invite from this file; on the command line every process of this machine sees it.",
      valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @OptionGroup var options: PlayerOptions

  @OptionGroup var relay: RelayOptions

  func run() async throws {
    try await ErrorScreen.wait(options.waitOnError) { try await enter() }
  }

  private func enter() async throws {
    let parsed: Invite
    do {
      if let text = try givenText() {
        parsed = try Self.invite(text)
      } else {
        parsed = try await PartyPicker.pick(headless: options.headless)
      }
    } catch let exit as ExitCode {
      throw exit
    } catch {
      ExitStatus.printError("\(error)")
      throw ExitStatus.of(error)
    }
    var hosting = PartyHosting.Options()
    hosting.brokers = relay.brokers
    try await Session.run(
      films: isFilm ? [invite].compactMap { $0 } + films : films, options: options,
      hosting: hosting, entrance: .joining(parsed))
  }

  /// - Throws: an exit code, once it is said what is wrong with the invite.
  static func invite(_ text: String) throws -> Invite {
    do {
      return try Invite(text)
    } catch {
      ExitStatus.printError(error.description)
      throw ExitStatus.refused
    }
  }

  /// Whether the first argument is a film: where the invite is elsewhere, or a file stands in its place.
  private var isFilm: Bool {
    guard let invite else { return false }
    return inviteFile != nil || FileManager.default.fileExists(atPath: invite)
  }

  /// - Returns: nil if none was given, and the parties in the house are meant.
  private func givenText() throws -> String? {
    if let inviteFile { return try InviteFile.read(inviteFile) }
    guard let invite, !isFilm else { return nil }
    guard invite == "-" else { return invite }
    let pasted = InviteFile.readStandardInput()
    if !options.headless, isatty(STDIN_FILENO) != 1 {
      // What came through a pipe is read: the keys come from the terminal.
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
      if terminal >= 0 {
        dup2(terminal, STDIN_FILENO)
        close(terminal)
      }
    }
    return pasted
  }
}
