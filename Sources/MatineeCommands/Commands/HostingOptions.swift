import ArgumentParser
import Faces
import MatineeKit
import Screening

extension ListenAddress: ExpressibleByArgument {}

/// The party that this run opens.
struct HostingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Address of the built-in relay (default: *:62846).",
      discussion: "The host * means all addresses; port 0 picks a free port.",
      valueName: "host:port"))
  var listen: ListenAddress?

  @OptionGroup var certificateOptions: CertificateOptions

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Announce the party on the local network (mDNS).")
  var announce = true

  @Option(
    help: ArgumentHelp(
      "Write the invite to this file, readable only by you.", valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @Option(help: "Who may control playback.")
  var control: Control = .everyone

  @Option(
    help: ArgumentHelp(
      "Start only when everyone is ready.",
      discussion: "nobody: don't wait for trailers, nor for people who aren't ready."))
  var waitFor: Waiting = .everyone

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Share your films with friends who lack them.")
  var share = false

  @Option(
    help: ArgumentHelp(
      "Share smaller copies: 480p, 720p or 1080p.", discussion: "They are encoded while they play.",
      valueName: "720p"),
    completion: .list(ShareQuality.allCases.map(\.rawValue)), transform: Self.shareQuality)
  var shareQuality: ShareQuality?

  private static func shareQuality(_ text: String) throws -> ShareQuality {
    guard let quality = ShareQuality(rawValue: text) else {
      throw ValidationError("It takes 480p, 720p or 1080p.")
    }
    return quality
  }

  @Option(
    help: ArgumentHelp(
      "Let friends with Syncplay join.",
      discussion: "A port alone means all addresses; Syncplay's usual one is 8999.",
      valueName: "host:port"),
    transform: Self.syncplayAddress)
  var syncplay: ListenAddress?

  private static func syncplayAddress(_ text: String) throws -> ListenAddress {
    guard let address = ListenAddress(portOrAddress: text) else {
      throw ValidationError("It takes [HOST:]PORT, such as 8999.")
    }
    return address
  }

  enum Control: String, ExpressibleByArgument, CaseIterable { case everyone, hosts }
  enum Waiting: String, ExpressibleByArgument, CaseIterable { case everyone, nobody }

  /// Returns the options for a party on this program's relay, or on external servers.
  ///
  /// - Throws: `ExitCode`, after the reason was printed, if the certificate can't be used.
  func hosting(over relay: RelayOptions) throws -> PartyHosting.Options {
    var options = relay.hosting
    options.certificate = try certificateOptions.certificateOrExit()
    if let listen {
      options.host = listen.host
      options.port = listen.port
    }
    options.syncplay = syncplay
    options.shares = share
    options.shareQuality = shareQuality
    options.announces = announce
    options.control = control == .hosts ? .hosts : .everyone
    options.waiting = waitFor == .nobody ? .nobody : .everyone
    return options
  }
}
