import ArgumentParser
import Foundation
import GroupActivities

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch; open a party from inside when you like.")

  @Argument(help: "Films, URLs or folders.")
  var films: [String] = []

  @OptionGroup var options: PlayerOptions
  @OptionGroup var hosting: HostingOptions

  func run() async throws {
    try await Session.run(
      films: films, options: options, hosting: hosting.hosting, inviteFile: hosting.inviteFile,
      entrance: .alone)
  }
}

struct Host: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Open a party; shows the invite.")

  @Argument(help: "Films, URLs or folders.")
  var films: [String] = []

  @OptionGroup var options: PlayerOptions
  @OptionGroup var hosting: HostingOptions

  func run() async throws {
    try await Session.run(
      films: films, options: options, hosting: hosting.hosting, inviteFile: hosting.inviteFile,
      entrance: .hosting)
  }
}

struct Join: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a party; FILE is your own copy of the film, if you have it.")

  @Argument(
    help:
      "What the host passed on: matinee://… in quotation marks, or - to read it from standard input."
  )
  var invite: String?

  @Argument(help: "Your own copies, URLs or folders.")
  var films: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the invite from this file; on the command line every process of this machine sees it.",
      valueName: "path"))
  var inviteFile: String?

  @OptionGroup var options: PlayerOptions

  @Option(
    help: ArgumentHelp(
      "Connect to these NATS servers instead of the invite's addresses.",
      valueName: "nats://host:port[,…]"),
    transform: ServerList.init(parsing:))
  var relay: ServerList?

  mutating func validate() throws {
    if inviteFile == nil, invite == nil {
      throw ValidationError("join needs an invite: matinee://…, - or --invite-file PATH")
    }
  }

  func run() async throws {
    let parsed: Invite
    do {
      parsed = try Invite(try text())
    } catch let error as InviteError {
      ExitStatus.printError(error.description)
      throw ExitStatus.refused
    } catch {
      ExitStatus.printError("\(error)")
      throw ExitStatus.of(error)
    }
    var hosting = PartyHosting.Options()
    hosting.servers = relay?.servers ?? []
    try await Session.run(
      films: inviteFile == nil ? films : [invite].compactMap { $0 } + films, options: options,
      hosting: hosting, entrance: .joining(parsed))
  }

  private func text() throws -> String {
    if let inviteFile { return try InviteFile.read(inviteFile) }
    guard invite == "-" else { return invite ?? "" }
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
