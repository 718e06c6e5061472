import ArgumentParser
import Concurrency
import GroupActivities
import MatineeKit
import NATSProtocol
import Relay
import Screening

/// The relay of a party after the program that had it has ended (``KeptRelay``).
struct KeptRelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: KeptRelay.commandName,
    abstract: "Relay for one party until its last participant has left.",
    shouldDisplay: false)

  @Option var listen: ListenAddress
  /// The public parts of the keys that the relay admits, as nkeys.
  @Option var admits: [String]
  @Option var party: String
  @Flag(inversion: .prefixedNo) var portMapping = true
  @Flag(inversion: .prefixedNo) var announce = true
  @OptionGroup var certificateOptions: CertificateOptions

  /// The time in which participants find the relay at the beginning.
  private static let patience = Duration.seconds(60)
  /// Participants who leave end their connections at once; those who return after a break of their network need longer.
  private static let shortPatience = Duration.seconds(20)
  private static let pace = Duration.milliseconds(500)
  /// The time in which the ending program releases the port.
  private static let startLimit = Duration.seconds(10)
  private static let startPace = Duration.milliseconds(20)

  func run() async throws {
    let keys = admits.compactMap { NKey.publicKey(from: $0.utf8, role: .user) }
    guard !keys.isEmpty, keys.count == admits.count,
      let party = Participant.ID(party)
    else {
      throw ValidationError("--admits and --party take what the ended program passed on.")
    }
    OpenFiles.raiseLimit()
    let (hosting, relay) = try await start(for: party, admitting: keys)
    await hosting.watch?.start()
    let termination = await Signals.termination()
    let ended = OneShot<Void>()
    let waiting = Task {
      for await _ in termination { break }
      ended.fulfil(())
    }
    await serve(relay, until: ended)
    waiting.cancel()
    await hosting.stop()
  }

  /// Serves until the last participant has left.
  private func serve(_ relay: Relay, until ended: OneShot<Void>) async {
    var usedAt = ContinuousClock.now
    var patience = Self.patience
    repeat {
      if await relay.clientCount() > 0 {
        usedAt = .now
        patience = Self.shortPatience
      }
    } while await ended.value(atMost: Self.pace) == nil && .now - usedAt < patience
  }

  /// Opens the relay as soon as the ending program has released the port.
  private func start(
    for party: Participant.ID, admitting keys: [[UInt8]]
  ) async throws -> (PartyHosting, Relay) {
    var options = PartyHosting.Options()
    options.host = listen.host
    options.port = listen.port
    options.mapsPort = portMapping
    options.announces = announce
    options.certificate = try certificateOptions.certificateOrExit()
    let end = ContinuousClock.now + Self.startLimit
    while true {
      do {
        return try await PartyHosting.openRelay(options, of: party, keys: keys)
      } catch let error as RelayError where error.kind == .addressInUse && .now < end {
        try await Task.sleep(for: Self.startPace)
      }
    }
  }
}
