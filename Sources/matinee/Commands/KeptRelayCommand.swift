import ArgumentParser
import Concurrency
import Foundation
import GroupActivities
import Logging
import Relay

/// The relay of a party whose host's program has ended (``KeptRelay``).
struct KeptRelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: KeptRelay.commandName,
    abstract: "Relay for one party until its last participant has left.",
    shouldDisplay: false)

  @Option var listen: ListenAddress
  /// The party's public admission key, in hexadecimal digits.
  @Option var admits: String
  @Option var party: String
  @Flag(inversion: .prefixedNo) var portMapping = true
  @Flag(inversion: .prefixedNo) var announce = true

  /// The time in which participants find the relay at the beginning.
  private static let patience = Duration.seconds(60)
  /// Participants who leave end their connections at once; those who return after a break of their network need longer.
  private static let shortPatience = Duration.seconds(20)
  private static let pace = Duration.milliseconds(500)
  /// The time in which the ending program releases the port.
  private static let startLimit = Duration.seconds(10)
  private static let startPace = Duration.milliseconds(20)

  func run() async throws {
    guard let key = Self.bytes(of: admits), let party = Participant.ID(party) else {
      throw ValidationError("--admits and --party take what the ended program passed on.")
    }
    OpenFiles.raiseLimit()
    let relay = try await start(admitting: key)
    let watch = ReachWatch(
      host: listen.host, port: listen.port, mapsPort: portMapping,
      announcement: announce ? LocalParty.announcement(of: party, port: listen.port) : nil)
    await watch.start()
    let termination = await Signals.termination()
    let ended = OneShot<Void>()
    let waiting = Task {
      for await _ in termination { break }
      ended.fulfil(())
    }
    await serve(relay, until: ended)
    waiting.cancel()
    await watch.stop()
    await relay.shutdown()
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

  /// Starts the relay as soon as the ending program has released the port.
  private func start(admitting key: [UInt8]) async throws -> Relay {
    let end = ContinuousClock.now + Self.startLimit
    while true {
      var configuration = RelayConfiguration(
        admission: .only([key]), host: listen.host, port: listen.port)
      configuration.limits.leaveDescriptors(of: OpenFiles.limit)
      let relay = Relay(configuration: configuration, logger: .ofTransport)
      do throws(RelayError) {
        try await relay.start()
        return relay
      } catch {
        await relay.shutdown()
        guard error.kind == .addressInUse, .now < end else { throw error }
      }
      try await Task.sleep(for: Self.startPace)
    }
  }

  private static func bytes(of digits: String) -> [UInt8]? {
    let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
      UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
    }
    return bytes.count == 32 && digits.utf8.count == 64 ? bytes : nil
  }
}
