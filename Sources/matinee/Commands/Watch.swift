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

  mutating func validate() throws {
    let relay = hosting.relay
    guard relay.relay != nil || (relay.relayCA == nil && relay.relayCredentials == nil) else {
      throw ValidationError("--relay-ca and --relay-credentials are for the servers of --relay")
    }
  }

  func run() async throws {
    try await Session.run(
      films: films, options: options, hosting: hosting.hosting, inviteFile: hosting.inviteFile,
      entrance: .hosting)
  }
}

struct Join: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a party; FILE is your own copy of the film, if you have it.",
    discussion: """
      Without an invite the parties on the local network are offered, as far as their hosts' and this \
      machine's Avahi daemons run. To get in, one still needs what stands after # in the invite.
      """)

  @Argument(help: "What the host passed on: matinee://… in quotation marks.")
  var invite: String?

  @Argument(help: "Your own copies, URLs or folders.")
  var films: [String] = []

  @OptionGroup var options: PlayerOptions

  @OptionGroup var relay: RelayOptions

  func run() async throws {
    var films = films
    let parsed: Invite
    if let invite, !FileManager.default.fileExists(atPath: invite) {
      do {
        parsed = try Invite(invite)
      } catch {
        ExitStatus.printError(error.description)
        throw ExitStatus.refused
      }
    } else {
      // A file in its place is the first film.
      films = [invite].compactMap { $0 } + films
      parsed = try await PartyPicker.pick(headless: options.headless)
    }
    var hosting = PartyHosting.Options()
    hosting.brokers = relay.brokers
    try await Session.run(
      films: films, options: options, hosting: hosting, entrance: .joining(parsed))
  }
}
