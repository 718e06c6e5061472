import ArgumentParser

/// The party that this run opens.
struct HostingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Address of the built-in relay (default: *:62846).",
      discussion: "The host * means all addresses; port 0 picks a free port.",
      valueName: "host:port"))
  var listen: ListenAddress?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Ask the router to open the port (UPnP, NAT-PMP).")
  var portMapping = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Announce the party on the local network (mDNS).")
  var announce = true

  @OptionGroup var relay: RelayOptions

  @Option(
    help: ArgumentHelp(
      "Write the invite to this file, readable only by you.", valueName: "path"),
    completion: .file())
  var inviteFile: String?

  @Option(help: "Who may control playback.")
  var control: Control = .everyone

  @Option(
    help: ArgumentHelp(
      "Wait for everyone to be ready before playback starts.",
      discussion: "nobody: don't wait for trailers, nor for people who aren't ready."))
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
    options.standsBy = relay.standby
    options.paths = relay.path
    options.control = control == .hosts ? .hosts : .everyone
    options.waiting = waitFor == .nobody ? .nobody : .everyone
    return options
  }
}
